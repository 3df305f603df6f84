import type { Stack } from '../../stack/stack';
import { makeFirstAdministrator } from '../first-administrator';
import type { FirstAdministrator } from '../first-administrator';

/** Who the callers are: the holder of a key, and a person with a browser. */
export interface Credentials extends FirstAdministrator {
  apiKey: string;
}

/** Large enough never to refuse, and limits all the same: every request is counted and reserves. */
const limits = { rpm: 1_000_000, quotaTokens: 1_000_000_000_000 };

/** Makes a key and the first administrator of a new stack. */
export async function makeCredentials(stack: Stack): Promise<Credentials> {
  const { apiKey } = await stack.createKey({ name: 'chaos', plan: 'enterprise', ...limits });
  return { apiKey, ...(await makeFirstAdministrator(stack.baseUrl, stack.bootstrapSecret)) };
}
