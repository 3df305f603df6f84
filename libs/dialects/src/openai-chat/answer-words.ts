import type { TokenUsage } from '@tollgate/contracts';
import { carriedText } from '../canonical/carried-seal';
import type { Citation, FinishReason, TokenLogprob } from '../canonical/generation-event';
import type { ReasoningSeal } from '../canonical/generation-request';
import { urlCitation } from '../canonical/url-citation';
import type { TextSpan } from '../canonical/url-citation';
import { isRecord, parseJson } from '../wire/json-value';

/**
 * The words of a chat completion that a stream and a whole answer share.
 * https://platform.openai.com/docs/api-reference/chat/object
 */

/** `refused`: the answer holds a refusal, which OpenAI ends with stop. */
export function finishReason(reason: FinishReason, refused: boolean): string {
  switch (reason) {
    case 'length':
    case 'context-length':
      return 'length';
    case 'tool-calls':
      return 'tool_calls';
    case 'content-filter':
      return 'content_filter';
    case 'refusal':
      return refused ? 'stop' : 'content_filter';
    default:
      return 'stop';
  }
}

export function usageOf(usage: TokenUsage): Record<string, unknown> {
  return {
    prompt_tokens: usage.input,
    completion_tokens: usage.output,
    total_tokens: usage.input + usage.output,
    prompt_tokens_details: {
      cached_tokens: usage.cachedInput,
      cache_write_tokens: usage.cacheWrite5m + usage.cacheWrite1h,
      audio_tokens: usage.audioInput,
    },
    completion_tokens_details: { reasoning_tokens: usage.reasoning, audio_tokens: usage.audioOutput },
  };
}

export function logprobsOf(content: readonly TokenLogprob[]): Record<string, unknown> {
  return {
    content: content.map(({ top, ...token }) => ({ ...token, top_logprobs: top })),
    refusal: null,
  };
}

/**
 * A source of the text at this place of the content. Null for one without an address, which this dialect
 * cannot show.
 */
export function annotationOf(citation: Citation, text: TextSpan): Record<string, unknown> | null {
  if (citation.dialect === 'openai-chat') return citation.original;
  const cited = urlCitation(citation, text);
  return cited && { type: 'url_citation', url_citation: cited };
}

/**
 * Sealed reasoning in OpenRouter's form, which clients that keep it send back:
 * https://openrouter.ai/docs/use-cases/reasoning-tokens Every seal but a redacted one stands beside the text
 * that it seals.
 */
export function reasoningDetail(text: string, seal: ReasoningSeal, id?: string): Record<string, unknown> {
  if (seal.dialect === 'openai-chat') {
    const own = parseJson(seal.value);
    if (isRecord(own)) return own;
  }
  const carried = carriedText(seal, 'openai-chat', id === undefined ? {} : { id });
  return seal.kind === 'redacted'
    ? { type: 'reasoning.encrypted', data: carried }
    : { type: 'reasoning.text', text, signature: carried };
}

/**
 * Google's place for the signature of a call in this dialect:
 * https://ai.google.dev/gemini-api/docs/openai#thought-signatures
 */
export function callSignature(signature: ReasoningSeal | undefined): Record<string, unknown> {
  return signature?.dialect === 'gemini' ? { extra_content: { google: { thought_signature: signature.value } } } : {};
}
