import { z } from 'zod';
import { epochMs } from '../epoch-ms';
import { operation } from '../operation';
import { text, thingName } from '../text';

/** What a token may do: `<noun>:read` looks, `<noun>:write` changes and does not look. */
export const adminScope = z.enum([
  'keys:read',
  'keys:write',
  'accounts:read',
  'accounts:write',
  'people:read',
  'people:write',
  'budgets:read',
  'budgets:write',
  'usage:read',
  'audit:read',
  'webhooks:read',
  'webhooks:write',
  'models:read',
  'models:write',
  'deployments:read',
  'deployments:write',
  'providers:read',
  'providers:write',
  'provider-keys:write',
  'own-keys:write',
  'config:read',
  'config:write',
  'bills:read',
  'dead-letters:read',
  'dead-letters:write',
  'usage:write',
  'texts:read',
  'texts:write',
  'mails:read',
  'imports:write',
  'tokens:read',
  'tokens:write',
]);
export type AdminScope = z.infer<typeof adminScope>;
export const adminScopes: readonly AdminScope[] = adminScope.options;
/** Of a token for a directory (SCIM), which is for one account and opens nothing else. */
export const directoryScope = 'scim';

/**
 * A token of the admin API as people see it: never the token itself, only its display form. Times are epoch
 * milliseconds. `expiresAt` null: never; `lastUsedAt` (exact to a minute) null: not yet; `revokedAt` null: it
 * is not revoked. `scopes` may hold some that this release does not know: they open nothing. `accountId`:
 * whose directory it is for; null: for none.
 */
const adminToken = z.object({
  id: z.string(),
  name: z.string(),
  display: z.string(),
  scopes: z.array(z.string()),
  accountId: z.string().nullable().default(null),
  createdBy: z.string(),
  createdAt: z.number(),
  expiresAt: z.number().nullable(),
  lastUsedAt: z.number().nullable(),
  revokedAt: z.number().nullable(),
});
export type AdminToken = z.infer<typeof adminToken>;

const newToken = {
  name: thingName(100),
  scopes: z.array(z.union([adminScope, z.literal(directoryScope)])).min(1, 'name at least one'),
  expiresAt: epochMs.nullable(),
};
const actor = text(200).min(1).default('operator');

/** Tokens of the admin API, and what is done with them once. Accounts answers. */
export const adminTokenOperations = {
  /**
   * `token` is told here only. `account` (by its id or address): for the directory of this account, with the
   * scope `scim` alone. `invalid` for a time that has passed, and for `scim` without an account or beside
   * other scopes.
   */
  create: operation(
    'accounts.tokens.create',
    z.object({ ...newToken, account: text(200).optional(), actor }),
    z.object({ token: z.string(), adminToken }),
  ),
  /**
   * As `create`, in the name of the token with the id `under`. It gives scopes that it has itself, and ends
   * no earlier than what it makes (null: never), which is revoked with it.
   * `forbidden` for more than that, and for one that works no more; `invalid` for a time that has passed;
   * `conflict` where too many work already that tokens made.
   */
  createUnder: operation(
    'accounts.tokens.create-under',
    z.object({ ...newToken, under: text(200), actor }),
    z.object({ token: z.string(), adminToken }),
  ),
  /** All, also those that work no more, the newest first. */
  list: operation(
    'accounts.tokens.list',
    z.object({ limit: z.number().int().min(1).max(500).default(100), after: z.string().max(200).optional() }),
    z.object({ tokens: z.array(adminToken), next: z.string().nullable() }),
  ),
  /** Those that it made are revoked with it, and those that they made. Doing so again changes nothing. */
  revoke: operation('accounts.tokens.revoke', z.object({ tokenId: text(200), actor }), z.object({ adminToken })),
  /**
   * The token with one of these digests (see apiKeyDigest, under the pepper of today and then former ones),
   * of any state: whether it may be used is the asker's to decide. One that works is kept under the
   * first one from now on, and its use is noted. `adminToken` null: none.
   */
  resolve: operation(
    'accounts.tokens.resolve',
    z.object({
      digests: z
        .array(z.string().regex(/^[0-9a-f]{64}$/))
        .min(1)
        .max(9),
    }),
    z.object({ adminToken: adminToken.nullable() }),
  ),
  /**
   * Has accounts do one of its own operations (`subject`, with `request`) under an idempotency key of a
   * token, or of a person (`tokenId` is the id of either): once, and never again within 24 hours; then
   * `reply` is what was answered the first time. What is refused was not done, and is not kept. `digest`
   * tells one question from another. `reply` null: the key stands for another question, or (`isReplay`) it
   * was done under a pepper of before, with which its answer was sealed.
   */
  doOnce: operation(
    'accounts.tokens.do-once',
    z.object({
      tokenId: text(200),
      idempotencyKey: text(255).min(1),
      digest: z.string().max(64),
      subject: z.string().max(100),
      request: z.record(z.string(), z.unknown()),
    }),
    z.object({ reply: z.record(z.string(), z.unknown()).nullable(), isReplay: z.boolean() }),
  ),
};

/**
 * What `doOnce` refuses an operation with (`not_found`) that it does not know: it is of a release before.
 * Edge knows it by these words, which older releases say, too.
 */
export function unknownDeed(subject: string): string {
  return `${subject} is nothing that is done once.`;
}
