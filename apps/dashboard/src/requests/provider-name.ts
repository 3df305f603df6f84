import { responseCacheProvider } from '@tollgate/contracts';

export const responseCacheName = 'Response cache';

/**
 * What people read for the provider of a report; null and the empty text are that of requests which none
 * answered.
 */
export function providerNameOf(provider: string | null): string {
  return provider === responseCacheProvider ? responseCacheName : provider || 'None answered';
}
