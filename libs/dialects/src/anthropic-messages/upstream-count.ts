import type { Translation, UpstreamRequest, UpstreamTarget } from '../provider-dialect';
import { isRecord, parseJson } from '../wire/json-value';
import { anthropicMessagesToAnthropicMessages } from './translation';

/**
 * The request that has the provider itself count the input tokens of a messages request; null where it cannot be asked. Vertex AI counts at another address, and
 * is not asked. https://platform.claude.com/docs/en/api/messages/count_tokens
 */
export function tokenCountRequest(
  translation: Translation,
  body: Uint8Array,
  target: UpstreamTarget,
): UpstreamRequest | null {
  if (translation !== anthropicMessagesToAnthropicMessages || target.provider.quirks.modelInPath) return null;
  const { request } = translation.prepare(body, { ...target, stream: false }, { includeUsage: false });
  return { ...request, path: `${request.path}/count_tokens` };
}

/** True when a provider's answer is a count. */
export function isTokenCount(answer: Uint8Array): boolean {
  const value = parseJson(Buffer.from(answer).toString('utf8'));
  return isRecord(value) && Number.isSafeInteger(value.input_tokens);
}
