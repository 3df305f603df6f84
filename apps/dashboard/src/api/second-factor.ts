import { z } from 'zod/mini';
import { get, post, tell } from './client';

/** `enabledAt` null: there is none. Epoch milliseconds. */
const state = z.object({ enabledAt: z.nullable(z.number()), recoveryCodes: z.number() });
const enrolment = z.object({ secret: z.string(), uri: z.string() });
export type Enrolment = z.infer<typeof enrolment>;
const codes = z.object({ recoveryCodes: z.array(z.string()) });

const path = '/api/auth/second-factor';
export const fetchSecondFactor = () => get(path, state);
export const beginSecondFactor = (password: string) => post(`${path}/begin`, { password }, enrolment);
export const confirmSecondFactor = (code: string) => post(`${path}/confirm`, { code }, codes);
export const renewRecoveryCodes = (body: { password: string; code: string }) =>
  post(`${path}/recovery-codes`, body, codes);
export const removeSecondFactor = (body: { password: string; code: string }) => tell(`${path}/remove`, body);
