import { keySummary } from '@tollgate/contracts/accounts';
import { z } from 'zod/mini';
import { create, get, patch, post } from './client';

/**
 * `usedTokens` is of the current month; `lastUsedAt` null: never, as far as requests are kept. Absent while
 * metering does not answer.
 */
const ownKey = z.extend(keySummary, {
  usedTokens: z.optional(z.number()),
  lastUsedAt: z.optional(z.nullable(z.number())),
});
export type OwnKey = z.infer<typeof ownKey>;

/** `apiKey` is told this once and never again. */
const newKey = z.object({ apiKey: z.string(), key: ownKey });
export type NewKey = z.infer<typeof newKey>;

const keyPage = z.object({
  data: z.array(ownKey),
  next: z.optional(z.nullable(z.string())),
  resetsAt: z.optional(z.number()),
});

export const fetchKeys = (after?: string) => get('/api/keys', keyPage, { limit: 100, after });
export const createKey = (
  body: { name: string; expiresAt: number | null; models: string[]; forMachine: boolean },
  once: string,
) => create('/api/keys', body, newKey, once);
export const switchLogging = (id: string, logContent: boolean) =>
  patch(`/api/keys/${encodeURIComponent(id)}`, { logContent }, z.object({}));
export const renameKey = (id: string, name: string) =>
  patch(`/api/keys/${encodeURIComponent(id)}`, { name }, z.object({}));
export const rotateKey = (id: string, overlapS: number, once: string) =>
  create(`/api/keys/${encodeURIComponent(id)}/rotate`, { overlapS }, newKey, once);
export const revokeKey = (id: string) => post(`/api/keys/${encodeURIComponent(id)}/revoke`, {}, z.object({}));
