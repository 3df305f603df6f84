import { ownKeyOperations } from '@tollgate/contracts/accounts';
import { z } from 'zod/mini';
import { get, post, remove } from './client';

const { list, setForProject } = ownKeyOperations;
const { keys, providers } = list.reply.shape;
const { key: projectKey } = setForProject.reply.shape;
const addressOf = (provider: string) => `/api/own-keys/${encodeURIComponent(provider)}`;

/** One of the whole account has no project. */
const ownKey = z.extend(z.omit(projectKey, { project: true }), { project: z.optional(z.string()) });
export type OwnKey = z.infer<typeof ownKey>;

/** `canSeal` false: no key can be given. `projectKeys` absent: edge is of the release before. */
const ownKeys = z.object({ keys, projectKeys: z.optional(z.array(projectKey)), providers, canSeal: z.boolean() });
export type OwnKeys = z.infer<typeof ownKeys>;

export const fetchOwnKeys = () => get('/api/own-keys', ownKeys);
/**
 * `baseUrl`: the address that it is for, as the person sees it; `project` undefined: the whole account;
 * `fallsBack` undefined: as of the key before.
 */
export const giveOwnKey = (given: {
  provider: string;
  key: string;
  baseUrl: string;
  fallsBack: boolean | undefined;
  project: string | undefined;
}) => {
  const { provider, ...body } = given;
  return post(addressOf(provider), body, z.object({ key: ownKey }));
};
export const chooseFallBack = ({ provider, project }: Pick<OwnKey, 'provider' | 'project'>, fallsBack: boolean) =>
  post(`${addressOf(provider)}/fall-back`, { fallsBack, project }, z.object({ key: ownKey }));
export const removeOwnKey = (provider: string, project: string | undefined) =>
  remove(`${addressOf(provider)}/remove`, { project });
