import type { DialectName } from '@tollgate/contracts';
import { fetchFor } from '../upstream/internet-only';
import { withKey, type ProviderEndpoint } from '../upstream/provider-endpoint';

/** What a server said. `text` is the beginning of its body. */
export interface ServerAnswer {
  status: number;
  text: string;
}

/** Enough for the list of every model of a gateway. */
const maxBytes = 4 * 1024 * 1024;
/** Anthropic answers nobody who names no version. https://platform.claude.com/docs/en/api/versioning */
const versionHeaders: Partial<Record<DialectName, Record<string, string>>> = {
  'anthropic-messages': { 'anthropic-version': '2023-06-01' },
};

/** A refusal of a key, which another one may not meet. */
const refusesKey: ReadonlySet<number> = new Set([401, 402, 403, 429]);

/** Asks as `askServer` does, with the next of the provider's keys while one is refused. @throws as that. */
export async function askWithAnyKey(
  endpoint: ProviderEndpoint,
  path: string,
  timeoutMs: number,
): Promise<ServerAnswer> {
  const [, ...others] = endpoint.pool;
  let answer = await askServer(endpoint, path, timeoutMs);
  for (const key of others) {
    if (!refusesKey.has(answer.status)) break;
    answer = await askServer(withKey(endpoint, key), path, timeoutMs);
  }
  return answer;
}

/**
 * Asks a provider something that is no caller's request. `body` undefined: a GET. Redirects are not followed,
 * so that a key stays with its origin.
 * @throws Error as fetch does when there is no answer; `cause` holds the system's error.
 */
export async function askServer(
  endpoint: ProviderEndpoint,
  path: string,
  timeoutMs: number,
  body?: object,
): Promise<ServerAnswer> {
  const { origin, basePath, keyHeaders, provider } = endpoint;
  const response = await fetchFor(endpoint, `${origin}${basePath}${path}`, {
    method: body ? 'POST' : 'GET',
    headers: {
      ...versionHeaders[provider.dialect],
      ...provider.headers,
      'content-type': 'application/json',
      'user-agent': 'tollgate',
      ...keyHeaders,
    },
    ...(body && { body: JSON.stringify(body) }),
    redirect: 'manual',
    signal: AbortSignal.timeout(timeoutMs),
  });
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of response.body ?? []) {
    parts.push(part as Uint8Array);
    length += (part as Uint8Array).length;
    if (length > maxBytes) break;
  }
  return { status: response.status, text: Buffer.concat(parts).toString('utf8') };
}
