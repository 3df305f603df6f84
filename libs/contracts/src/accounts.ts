import { z } from 'zod';
import { operation } from './operation';
import { text } from './text';

export const planNames = ['beta', 'pro', 'enterprise'] as const;

/** pending: waits for approval; active: may generate; suspended and declined: may not. */
export const accountStatus = z.enum(['pending', 'active', 'suspended', 'declined']);

/** Seconds, of at most 30 days. */
const cacheTtlS = z
  .number()
  .int()
  .min(1)
  .max(30 * 86_400);

/**
 * A key as edges hold it, with everything needed to admit a request. Limits are effective ones: the key's own, else its plan's.
 * `rpm`, `quotaTokens` and `concurrency` (generations at once) null mean unlimited. `models` holds patterns (`*` matches any run of characters); empty means every model.
 * `cacheTtlS`: how many seconds an answer to the key may be given again from the response cache, null: only where a request asks for it.
 * `logContent`: requests and answers are logged where the operator's `contentLog` allows it.
 * `expiresAt` is a time in epoch milliseconds, null means never. `version` grows with every change of the key, its plan or its account.
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
  quotaTokens: z.number().int().nonnegative().nullable(),
  concurrency: z.number().int().nonnegative().nullable().default(null),
  models: z.array(z.string()),
  cacheTtlS: cacheTtlS.nullable().default(null),
  logContent: z.boolean().default(false),
  expiresAt: z.number().nullable(),
});
export type CallerKey = z.infer<typeof callerKey>;

/** A key as people see it: never the key itself, only its display form (prefix and last four characters). */
export const keySummary = callerKey.extend({ display: z.string(), createdAt: z.number(), accountName: z.string() });
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

/** Epoch milliseconds, as far as a Date reaches. */
const time = z.number().int().nonnegative().max(8.64e15);

const keyLimits = {
  rpm: z.number().int().nonnegative().nullish(),
  quotaTokens: z.number().int().nonnegative().nullish(),
};

const changedLimit = z.union([z.number().int().nonnegative(), z.literal('plan')]).nullish();

/** Patterns of model ids; none: every model. */
const patterns = z.array(text(200).min(1)).max(500);

/** A key by its id. With `accountId`, a key of another account is `not_found`. */
const oneKey = { keyId: z.string(), accountId: z.string().optional() };

/** Who asks for a change, as the audit log keeps it: a person, a tool or a service. Told by the caller, not proven. */
const actor = text(200).min(1).default('operator');

export const accountsOperations = {
  /**
   * `digest` is the key's HMAC (see apiKeyDigest), `formerDigests` the same under former peppers: a key that is found by one of these is kept under `digest` from now on.
   * `key` null means no such key. `revision` is the number of the newest change when this was read.
   */
  resolveKey: operation(
    'accounts.keys.resolve',
    z.object({ digest: z.string(), formerDigests: z.array(z.string()).max(8).optional() }),
    z.object({ key: callerKey.nullable(), revision: z.number().int() }),
  ),
  /**
   * Creates a key for `accountId`, or for the first account with `email`, or for the operator's own account (made when missing) where both are absent.
   * A limit that is absent comes from the plan; null means unlimited. `apiKey` is the only time the key itself is told.
   */
  createKey: operation(
    'accounts.keys.create',
    z.object({
      accountId: text(200).optional(),
      email: text(200).optional(),
      name: text(100).min(1),
      plan: text(100).optional(),
      ...keyLimits,
      models: patterns.default([]),
      cacheTtlS: cacheTtlS.nullish(),
      logContent: z.boolean().optional(),
      expiresAt: time.nullish(),
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
  /** Changes a key that is not revoked. What is absent stays; a limit of null is unlimited, of `plan` the plan's. `plan` null: the account's plan; `cacheTtlS` null: nothing is cached unasked. */
  updateKey: operation(
    'accounts.keys.update',
    z.object({
      ...oneKey,
      plan: text(100).nullish(),
      rpm: changedLimit,
      quotaTokens: changedLimit,
      models: patterns.optional(),
      cacheTtlS: cacheTtlS.nullish(),
      logContent: z.boolean().optional(),
      expiresAt: time.nullish(),
      actor,
    }),
    z.object({ key: keySummary }),
  ),
  /** By what edges know a key. It proves nothing of who asks, and the key cannot be made from it. */
  keyDigest: operation('accounts.keys.digest', z.object(oneKey), z.object({ digest: z.string() })),
  listKeys: operation(
    'accounts.keys.list',
    z.object({
      accountId: z.string().optional(),
      limit: z.number().int().min(1).max(500).default(100),
      after: z.string().optional(),
    }),
    z.object({ keys: z.array(keySummary), next: z.string().nullable() }),
  ),
  requestAccess: operation(
    'accounts.accounts.request',
    z.object({ name: text(200).min(1), email: z.email().max(200), purpose: text(2000).default('') }),
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
export const keyChanged = z.object({ revision: z.number().int(), digest: z.string(), key: callerKey.nullable() });
export type KeyChanged = z.infer<typeof keyChanged>;

/** Sent every second, so that an edge notices a lost change. */
export const accountsHeartbeat = z.object({ revision: z.number().int() });

export const accountsSubjects = { keyChanged: 'accounts.changed.key', heartbeat: 'accounts.heartbeat' } as const;
