import { z } from 'zod';
import { operation } from './operation';

export const planNames = ['beta', 'pro', 'enterprise'] as const;

/** pending: waits for approval; active: may generate; suspended and declined: may not. */
export const accountStatus = z.enum(['pending', 'active', 'suspended', 'declined']);

/**
 * A key as edges hold it, with everything needed to admit a request. Limits are effective ones: the key's own, else its plan's.
 * `rpm` and `quotaTokens` null mean unlimited. `models` holds patterns (`*` matches any run of characters); empty means every model.
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
  models: z.array(z.string()),
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

const keyLimits = {
  rpm: z.number().int().nonnegative().nullish(),
  quotaTokens: z.number().int().nonnegative().nullish(),
};

export const accountsOperations = {
  /** `digest` is the key's HMAC (see apiKeyDigest). `key` null means no such key. `revision` is the number of the newest change when this was read. */
  resolveKey: operation(
    'accounts.keys.resolve',
    z.object({ digest: z.string() }),
    z.object({ key: callerKey.nullable(), revision: z.number().int() }),
  ),
  /**
   * Creates a key for `accountId`, or for the first account with `email`, or for the operator's own account (made when missing) where both are absent.
   * A limit that is absent comes from the plan; null means unlimited. `apiKey` is the only time the key itself is told.
   */
  createKey: operation(
    'accounts.keys.create',
    z.object({
      accountId: z.string().optional(),
      email: z.string().optional(),
      name: z.string().min(1).max(100),
      plan: z.string().optional(),
      ...keyLimits,
      models: z.array(z.string().min(1)).default([]),
      expiresAt: z.number().nullish(),
    }),
    z.object({ apiKey: z.string(), key: keySummary }),
  ),
  /** A new key with the same settings; the old one stops after `overlapS` seconds (0: at once). */
  rotateKey: operation(
    'accounts.keys.rotate',
    z.object({
      keyId: z.string(),
      overlapS: z
        .number()
        .int()
        .nonnegative()
        .max(30 * 86_400),
    }),
    z.object({ apiKey: z.string(), key: keySummary, oldKey: keySummary }),
  ),
  revokeKey: operation('accounts.keys.revoke', z.object({ keyId: z.string() }), z.object({ key: keySummary })),
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
    z.object({ name: z.string().min(1).max(200), email: z.email(), purpose: z.string().max(2000).default('') }),
    z.object({ account }),
  ),
  /** Approves, suspends or declines by account id or email. */
  setAccountStatus: operation(
    'accounts.accounts.set-status',
    z.object({ account: z.string(), status: accountStatus, plan: z.string().optional() }),
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
