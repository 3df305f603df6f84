import { ownKeyOperations } from '@tollgate/contracts';
import { z } from 'zod/mini';
import { get, post } from './client';

const { list, set, remove } = ownKeyOperations;
const { keys, providers } = list.reply.shape;
const addressOf = (provider: string) => `/api/own-keys/${encodeURIComponent(provider)}`;

/** `canSeal` false: no key can be given. */
const ownKeys = z.object({ keys, providers, canSeal: z.boolean() });
export type OwnKeys = z.infer<typeof ownKeys>;

export const fetchOwnKeys = () => get('/api/own-keys', ownKeys);
/** `baseUrl`: the address that it is for, as the person sees it. */
export const giveOwnKey = (provider: string, key: string, baseUrl: string) =>
  post(addressOf(provider), { key, baseUrl }, set.reply);
export const removeOwnKey = (provider: string) => post(`${addressOf(provider)}/remove`, {}, remove.reply);
