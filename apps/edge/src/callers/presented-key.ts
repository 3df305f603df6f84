import { isApiKey, isImportedKey } from '@tollgate/contracts';
import type { IncomingHttpHeaders } from 'node:http';

/**
 * In which headers clients of other gateways send its key beside an `Authorization` that holds a provider's,
 * or nothing of use; there, too, they go before it.
 * LiteLLM: https://docs.litellm.ai/docs/tutorials/claude_code_byok
 * Bifrost: https://docs.getbifrost.ai/features/governance/virtual-keys
 * Portkey: https://github.com/Portkey-AI/docs/blob/v2/api-reference/headers.md
 */
const foreignHeaders = ['x-litellm-api-key', 'x-bf-vk', 'x-portkey-api-key'] as const;

/** Headers in which callers send a key, in lower case. */
export const keyHeaders: readonly string[] = ['authorization', 'x-api-key', ...foreignHeaders];

/**
 * The key that a request carries: `Authorization: Bearer <key>`, or `x-api-key` where no Authorization is
 * sent (clients of the messages format).
 * A header of another gateway's clients counts before both where what it holds has the form of a key here.
 * Never from a query or a body, which end up in logs and histories. Null: none, or one that no key can look
 * like.
 */
export function presentedKey(headers: IncomingHttpHeaders): string | null {
  for (const name of foreignHeaders) {
    const said = headers[name];
    const key = typeof said === 'string' ? said.replace(/^bearer +/i, '') : '';
    if (key !== '' && (isApiKey(key) || isImportedKey(key))) return key;
  }
  const { authorization } = headers;
  if (authorization !== undefined) return /^bearer +([^\s]+) *$/i.exec(authorization)?.[1] ?? null;
  const apiKey = headers['x-api-key'];
  return typeof apiKey === 'string' && /^\S+$/.test(apiKey) ? apiKey : null;
}
