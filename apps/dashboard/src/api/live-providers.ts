import { liveProviderOperations, type LiveProvider } from '@tollgate/contracts/catalog';
import { get, patch, post, remove } from './client';

const { list, set, setKey } = liveProviderOperations;
const addressOf = (provider: string) => `/api/admin/providers/${encodeURIComponent(provider)}`;
const keyOf = (provider: string, name: string) => `${addressOf(provider)}/keys/${encodeURIComponent(name)}`;

/** A key of a provider as it is told: never the key. */
export type GivenKey = LiveProvider['keys'][number];

/** What is said of a provider; what is absent stays as it is. `keys` empty: it needs none. */
interface ProviderWish {
  baseUrl?: string;
  dialect?: string;
  keys?: string[];
  onlyNew?: boolean;
  reason?: string;
}

export const fetchLiveProviders = () => get('/api/admin/providers/live', list.reply);
export const setProvider = (provider: string, wish: ProviderWish) => patch(addressOf(provider), wish, set.reply);
export const removeProvider = (provider: string) => remove(`${addressOf(provider)}/remove`);
/** `baseUrl`: the address that it is for, as the person sees it; undefined: that of the release. */
export const giveKey = (provider: string, name: string, key: string, baseUrl: string | undefined) =>
  post(keyOf(provider, name), { key, ...(baseUrl !== undefined && { baseUrl }) }, setKey.reply);
export const removeGivenKey = (provider: string, name: string) => remove(`${keyOf(provider, name)}/remove`);
