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
 * The key that a request carries: `Authorization: Bearer <key>`, or `x-api-key` (clients of the messages
 * format) where no Authorization is sent, or where this has the form of our keys and that has not: Claude
 * Code sends its own login beside a key. https://github.com/BerriAI/litellm/pull/39004
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
  const bearer = /^bearer +([^\s]+) *$/i.exec(authorization ?? '')?.[1] ?? null;
  const said = headers['x-api-key'];
  const apiKey = typeof said === 'string' && /^\S+$/.test(said) ? said : null;
  if (authorization === undefined) return apiKey;
  return apiKey !== null && isApiKey(apiKey) && (bearer === null || !isApiKey(bearer)) ? apiKey : bearer;
}
