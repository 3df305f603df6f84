import { z } from 'zod/mini';
import { get, patch, tell } from './client';
import type { FactorProof } from './second-factor';

/** `lastUsedAt` null: not since it was added. Epoch milliseconds. */
const passkey = z.object({
  id: z.string(),
  name: z.string(),
  isSynced: z.boolean(),
  createdAt: z.number(),
  lastUsedAt: z.nullable(z.number()),
});
export type Passkey = z.infer<typeof passkey>;

export const fetchPasskeys = () => get('/api/auth/passkeys', z.object({ data: z.array(passkey) }));
export const renamePasskey = (id: string, name: string) =>
  patch(`/api/auth/passkeys/${encodeURIComponent(id)}`, { name }, z.object({ passkey }));
export const removePasskey = (id: string, proof: FactorProof) =>
  tell(`/api/auth/passkeys/${encodeURIComponent(id)}/remove`, proof);
