import type { UpstreamTarget } from '../provider-dialect';
import { parseJson } from '../wire/json-value';
import type { MemberRange } from '../wire/splice-object';

/** What a header may say, and how long. */
const sayable = /^[\x21-\x7e]{1,512}$/;

/**
 * The header that leads a conversation's requests to the server that has its cache, where the provider has
 * one and the caller names the conversation by `promptCacheKey`.
 * https://docs.x.ai/developers/advanced-api-usage/prompt-caching/maximizing-cache-hits
 */
export function conversationHeader({ provider }: UpstreamTarget, promptCacheKey: unknown): Record<string, string> {
  const name = provider.quirks.conversationHeader;
  if (name === null || typeof promptCacheKey !== 'string' || !sayable.test(promptCacheKey)) return {};
  return { [name]: promptCacheKey };
}

/** The `prompt_cache_key` in a caller's bytes; undefined: there is none. */
export function promptCacheKeyIn(source: Uint8Array, members: readonly MemberRange[]): unknown {
  const member = members.findLast(({ name }) => name === 'prompt_cache_key');
  return member && parseJson(Buffer.from(source.subarray(member.valueStart, member.end)).toString('utf8'));
}
