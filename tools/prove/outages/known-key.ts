import { exchange } from '../exchange';
import { steadyRequest } from '../steady-request';
import { clientSurfaces } from '../client-surface';
import type { Stack } from '../../stack/stack';

/** Large enough never to refuse, and limits all the same: every request is counted and reserves. */
const limits = { rpm: 1_000_000, quotaTokens: 1_000_000_000_000 };

/**
 * Makes a key and uses it at every edge, so that each of them knows it.
 * @throws Error when an edge does not answer well.
 */
export async function makeKnownKey(stack: Stack, name: string): Promise<string> {
  const { apiKey } = await stack.createKey({ name, plan: 'enterprise', ...limits });
  for (const [index, edge] of stack.baseUrls.entries()) {
    const request = steadyRequest(index, `known-${Date.now().toString(36)}`);
    const { state, reason } = await exchange(edge + clientSurfaces[request.surface].path, apiKey, request);
    if (state !== 'complete') throw new Error(`There is no calm to disturb: ${reason}`);
  }
  return apiKey;
}
