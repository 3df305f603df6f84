import { lookupPublic } from '@tollgate/service';
import { Agent, fetch as fetchBy } from 'undici';
import type { ProviderEndpoint } from './provider-endpoint';

/** How the list of hosts is called that a provider may lead to though they are private. */
export const privateHostsVariable = 'PROVIDER_PRIVATE_HOSTS';

/** Finds addresses of the internet alone, for providers that are set without the environment. */
export const lookupInternet = lookupPublic(privateHostsVariable);

const agent = new Agent({ connect: { lookup: lookupInternet } });

/** What of an answer is read. */
interface Fetched {
  status: number;
  body: AsyncIterable<unknown> | null;
}

/** What of a request is said. */
interface Asked {
  method: string;
  headers: Record<string, string>;
  body?: string;
  redirect: 'manual';
  signal: AbortSignal;
}

/**
 * Fetches from where an endpoint may lead to, and from nowhere else.
 * @throws Error as fetch does when there is no answer.
 */
export function fetchFor(
  { internetOnly }: Pick<ProviderEndpoint, 'internetOnly'>,
  url: string,
  asked: Asked,
): Promise<Fetched> {
  return internetOnly ? fetchBy(url, { ...asked, dispatcher: agent }) : fetch(url, asked);
}
