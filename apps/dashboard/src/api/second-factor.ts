import { z } from 'zod/mini';
import { get, patch, post, tell } from './client';

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

/** `enabledAt` null: there is none. Epoch milliseconds. */
const state = z.object({ enabledAt: z.nullable(z.number()), recoveryCodes: z.number() });
const enrolment = z.object({ secret: z.string(), uri: z.string() });
export type Enrolment = z.infer<typeof enrolment>;
const codes = z.object({ recoveryCodes: z.array(z.string()) });

/** What touches a second factor takes: the password, and a code or a passkey where there is one already. */
export interface FactorProof {
  password: string;
  code?: string;
  passkey?: object;
}

const path = '/api/auth/second-factor';
export const fetchSecondFactor = () => get(path, state);
export const beginSecondFactor = (proof: FactorProof) => post(`${path}/begin`, proof, enrolment);
export const confirmSecondFactor = (code: string) => post(`${path}/confirm`, { code }, codes);
export const renewRecoveryCodes = (proof: FactorProof) => post(`${path}/recovery-codes`, proof, codes);
export const removeSecondFactor = (proof: FactorProof) => tell(`${path}/remove`, proof);
