import { z } from 'zod';
import { accountStatuses } from './account-status';
import { tagsOfKey } from '../metering/attribution';
import { keyBudget, projectName } from '../metering/budgets';
import { projects } from './projects';
import { epochMs } from '../epoch-ms';
import { operation } from '../operation';
import { text, thingName } from '../text';

export const accountStatus = z.enum(accountStatuses);

/** Patterns of model ids. */
const patterns = z.array(text(200).min(1)).max(500);

const limit = z.number().int().nonnegative();
const limitOfModels = limit.nullable().default(null);

/**
 * What a key may ask of models a minute, counted for all models of the pattern together. Null: not limited.
 */
const modelLimit = z.object({
  model: text(200).min(1).describe('a pattern of model ids (`*` matches any run of characters)'),
  rpm: limitOfModels.describe('generations in any 60 seconds; null: not limited'),
  tpm: limitOfModels.describe('tokens of input and output in any 60 seconds; null: not limited'),
});

function isEachOnce(limits: readonly { model: string }[]): boolean {
  return new Set(limits.map(({ model }) => model)).size === limits.length;
}

/**
 * What is set of a key besides its plan and limits. The one list of it: the dashboard's API, the CLI, the
 * database (a column of the same name each) and edges spread it. A setting of a new name needs a default in
 * callerKey, for the time when not every service knows of it yet.
 */
export const keySettings = z.object({
  models: patterns.describe('patterns of model ids (`*` matches any run of characters); none: every model'),
  modelLimits: z
    .array(
      modelLimit.refine(({ rpm, tpm }) => rpm !== null || tpm !== null, 'must limit requests (rpm) or tokens (tpm)'),
    )
    .max(50)
    .refine(isEachOnce, 'must hold each pattern once')
    .describe(
      'limits a minute of models, beside those of the key; each counts whose pattern is that of the id of the model asked for',
    ),
  cacheTtlS: z
    .number()
    .int()
    .min(1)
    .max(30 * 86_400)
    .nullable()
    .describe('seconds for which answers are cached unasked; null: only where a request asks for it'),
  logContent: z.boolean().describe('log requests and answers, where contentLog allows it'),
  tellCost: z.boolean().describe('tell each request its charge, as x-tollgate-cost: on does; off there keeps it away'),
  tags: tagsOfKey.describe('tags that each of its requests has, beside those of x-tollgate-tags'),
  project: projectName
    .nullable()
    .describe('the project of its account that it is of, whose budgets hold for it; null: of none'),
  expiresAt: epochMs.nullable().describe('epoch milliseconds; null: never'),
});
export type KeySettings = z.infer<typeof keySettings>;

const newLimit = limit.nullish().describe('null: unlimited; absent: what the plan says');
const changedLimit = z
  .union([limit, z.literal('plan')])
  .nullish()
  .describe('null: unlimited; plan: what the plan says');

/** What may be asked for a new key. What is absent is what the plan says, or nothing special. */
export const newKeySettings = z.object({
  plan: text(100).min(1).optional(),
  rpm: newLimit,
  tpm: newLimit,
  quotaTokens: newLimit,
  ...keySettings.partial().shape,
});

/** What may be asked for a key that exists. What is absent stays. `plan` null: the account's. */
export const changedKeySettings = z.object({
  name: thingName(100).optional().describe('several keys may have one name'),
  plan: text(100).min(1).nullish(),
  rpm: changedLimit,
  tpm: changedLimit,
  quotaTokens: changedLimit,
  ...keySettings.partial().shape,
});
export type ChangedKeySettings = z.infer<typeof changedKeySettings>;

/**
 * A key as edges hold it, with everything needed to admit a request. Limits are effective ones: the key's
 * own, else its plan's.
 * `operator`: it is of the operator's own account or of an administrator's, who is told what mends a
 * provider; absent: of somebody else.
 * `rpm`, `tpm` (requests and tokens in any 60 seconds), `quotaTokens` and `concurrency` (generations at once)
 * null mean unlimited. `version` grows with every change of the key, its plan or its account.
 */
export const callerKey = z.object({
  id: z.string(),
  accountId: z.string(),
  version: z.number().int(),
  name: z.string(),
  keyStatus: z.enum(['active', 'revoked']),
  accountStatus,
  plan: z.string(),
  rpm: z.number().int().nonnegative().nullable(),
  /** An accounts service of the release before tells none. */
  tpm: limit.nullable().default(null),
  quotaTokens: z.number().int().nonnegative().nullable(),
  concurrency: z.number().int().nonnegative().nullable().default(null),
  /**
   * All that the key has to stay within, the account's too. An accounts service of the release before tells
   * none.
   */
  budgets: z.array(keyBudget).default([]),
  ...keySettings.shape,
  // Bounds are for who asks; what is kept is taken as it is.
  models: z.array(z.string()),
  modelLimits: z.array(modelLimit).default([]),
  cacheTtlS: keySettings.shape.cacheTtlS.default(null),
  logContent: keySettings.shape.logContent.default(false),
  tellCost: keySettings.shape.tellCost.default(false),
  tags: z.array(z.string()).default([]),
  project: z.string().nullable().default(null),
  operator: z.literal(true).optional(),
  /** Keys that its account brought, sealed for inference, by the ids of their providers; absent: none. */
  ownKeys: z.record(z.string(), z.string()).optional(),
  /** Of these, the providers whose refusal of the key has a request go on with the operator's; absent: none. */
  ownKeysFallBack: z.array(z.string()).optional(),
});
export type CallerKey = z.infer<typeof callerKey>;

/**
 * A key as it travels to edges. One whose account brought keys of its own has no place for a generation where
 * they are not known: an edge of a release without them would ask with the operator's key.
 */
export function toWireKey(key: CallerKey): CallerKey {
  if (!key.ownKeys) return key;
  const wire = { ...key, concurrency: 0, concurrencyWithOwnKeys: key.concurrency };
  return wire;
}

const wireKey = z.preprocess((value) => {
  if (typeof value !== 'object' || value === null || !('concurrencyWithOwnKeys' in value)) return value;
  const { concurrencyWithOwnKeys: concurrency, ...key } = value;
  return { ...key, concurrency };
}, callerKey);

/** A limit as it is set of a key: a number, null for unlimited, or `plan` where the key follows its plan. */
const ownLimit = z.union([limit, z.literal('plan')]).nullable();
export type OwnLimit = z.infer<typeof ownLimit>;

/**
 * A key as people see it: never the key itself, only its display form (prefix and last four characters).
 * `ownLimits`: what is set of the key, behind its effective limits; absent from an accounts service that does
 * not tell it yet.
 */
export const keySummary = callerKey.omit({ ownKeys: true, ownKeysFallBack: true }).extend({
  /** Providers of which its account brought keys, with which its requests go; absent: of none. */
  ownKeyProviders: z.array(z.string()).optional(),
  display: z.string(),
  createdAt: z.number(),
  accountName: z.string(),
  /** Whose it is: it stops when they leave. Null: a machine's, or made by an operator; it stays. */
  person: z.object({ id: z.string(), name: z.string() }).nullable().default(null),
  ownLimits: z
    .object({
      ...{ rpm: ownLimit, tpm: ownLimit.default('plan'), quotaTokens: ownLimit },
      modelLimits: z.array(modelLimit).optional(),
    })
    .optional(),
  /** What was spent with it at the gateway from which it came over, nano-dollars; absent: nothing. */
  openingNanoUsd: z.string().optional(),
});
export type KeySummary = z.infer<typeof keySummary>;

export const account = z.object({
  id: z.string(),
  name: z.string(),
  email: z.string(),
  status: accountStatus,
  plan: z.string(),
  createdAt: z.number(),
});
export type Account = z.infer<typeof account>;

/**
 * A key by its id. With `accountId`, a key of another account is `not_found`; with `personId`, one of another
 * person or of a machine is.
 */
const oneKey = { keyId: z.string(), accountId: z.string().optional(), personId: z.string().optional() };

/**
 * Who asks for a change, as the audit log keeps it: a person, a tool or a service. Told by the caller, not
 * proven.
 */
const actorName = text(200).min(1);
const actor = actorName.default('operator');

export const accountsOperations = {
  /**
   * `digest` is the key's HMAC (see apiKeyDigest), `formerDigests` the same under former peppers: a key that
   * is found by one of these is kept under `digest` from now on.
   * `key` null means no such key. `revision` is the number of the newest change when this was read.
   */
  resolveKey: operation(
    'accounts.keys.resolve',
    z.object({ digest: z.string(), formerDigests: z.array(z.string()).max(8).optional() }),
    z.object({ key: wireKey.nullable(), revision: z.number().int() }),
  ),
  /**
   * Creates a key for `accountId`, or for the first account with `email`, or for the operator's own account
   * (made when missing) where both are absent.
   * A limit that is absent comes from the plan; null means unlimited. `apiKey` is the only time the key
   * itself is told. `personId`: somebody of the account whose key it is; absent: a machine's.
   */
  createKey: operation(
    'accounts.keys.create',
    z.object({
      accountId: text(200).optional(),
      email: text(200).optional(),
      personId: z.string().optional(),
      name: thingName(100),
      ...newKeySettings.shape,
      models: patterns.default([]),
      actor,
    }),
    z.object({ apiKey: z.string(), key: keySummary }),
  ),
  /** A new key with the same settings; the old one stops after `overlapS` seconds (0: at once). */
  rotateKey: operation(
    'accounts.keys.rotate',
    z.object({
      ...oneKey,
      overlapS: z
        .number()
        .int()
        .nonnegative()
        .max(30 * 86_400),
      actor,
    }),
    z.object({ apiKey: z.string(), key: keySummary, oldKey: keySummary }),
  ),
  revokeKey: operation('accounts.keys.revoke', z.object({ ...oneKey, actor }), z.object({ key: keySummary })),
  /**
   * Changes a key that is not revoked. `conflict`: it is revoked, or it would leave a project that has a
   * budget as the last of its keys.
   */
  updateKey: operation(
    'accounts.keys.update',
    z.object({ ...oneKey, ...changedKeySettings.shape, actor }),
    z.object({ key: keySummary }),
  ),
  /**
   * The projects of an account by their names, with the keys that are of each today, but for those that had
   * ended by `since`. `invalid`: so many are left that one reply cannot tell them.
   */
  projects: operation(
    'accounts.keys.projects',
    z.object({ accountId: text(200), since: epochMs }),
    z.object({ projects }),
  ),
  /**
   * Calls a project of an account (by its id or address) something else: its keys, also those that are
   * revoked, its budgets and its keys of providers. What it is called now is told as it is kept, and how many
   * of each there are. `not_found`: nothing is of it; `conflict`: something is of a project of the new name.
   */
  renameProject: operation(
    'accounts.keys.rename-project',
    z.object({ account: text(200), project: projectName, name: projectName, actor }),
    z.object({ project: z.string(), keys: z.number().int(), budgets: z.number().int(), ownKeys: z.number().int() }),
  ),
  /** One key, of any state. */
  getKey: operation('accounts.keys.get', z.object(oneKey), z.object({ key: keySummary })),
  /** By what edges know a key. It proves nothing of who asks, and the key cannot be made from it. */
  keyDigest: operation('accounts.keys.digest', z.object(oneKey), z.object({ digest: z.string() })),
  listKeys: operation(
    'accounts.keys.list',
    z.object({
      accountId: z.string().optional(),
      /** Only keys that work and end by then, epoch milliseconds. */
      endsBy: epochMs.optional(),
      /** Only keys that work and were made by then, epoch milliseconds. */
      madeBy: epochMs.optional(),
      limit: z.number().int().min(1).max(500).default(100),
      after: z.string().optional(),
    }),
    z.object({ keys: z.array(keySummary), next: z.string().nullable() }),
  ),
  /** A pending account. `actor` absent: who has the address asks. */
  requestAccess: operation(
    'accounts.accounts.request',
    z.object({
      name: thingName(200),
      email: z.email().max(200),
      purpose: text(2000).default(''),
      actor: actorName.optional(),
    }),
    z.object({ account }),
  ),
  /** Approves, suspends or declines by account id or email. */
  setAccountStatus: operation(
    'accounts.accounts.set-status',
    z.object({ account: text(200), status: accountStatus, plan: text(100).optional(), actor }),
    z.object({ account }),
  ),
  listAccounts: operation(
    'accounts.accounts.list',
    z.object({
      status: accountStatus.optional(),
      limit: z.number().int().min(1).max(500).default(100),
      after: z.string().optional(),
    }),
    z.object({ accounts: z.array(account), next: z.string().nullable() }),
  ),
};

/**
 * Told to every edge when a key changes. `key` null: it no longer exists.
 * `revision` counts all changes; an edge that misses a number treats all it knows as stale.
 */
export const keyChanged = z.object({ revision: z.number().int(), digest: z.string(), key: wireKey.nullable() });
export type KeyChanged = z.infer<typeof keyChanged>;

/**
 * Sent every second, so that an edge notices a lost change. `importedKeys` false: no key ever came over from
 * another gateway (see isImportedKey), so that none has to be asked for. An accounts service of the release
 * before knows of none.
 */
export const accountsHeartbeat = z.object({ revision: z.number().int(), importedKeys: z.boolean().default(false) });

export const accountsSubjects = { keyChanged: 'accounts.changed.key', heartbeat: 'accounts.heartbeat' } as const;
