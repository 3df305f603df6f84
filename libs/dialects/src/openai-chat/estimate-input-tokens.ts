import { isRecord } from '../wire/json-value';
import type { InputTokens } from '../surface-dialect';
import { readMediaPart } from './media-part';

/**
 * An upper bound of a request's input tokens, for reserving quota. Byte-level tokenizers make at most one
 * token of a byte, and the JSON around a message is longer than the tokens that frame it, so the body's
 * length bounds its text for every provider. English text really takes about a fifth of it.
 * Data of images, recordings and files counts by its estimated tokens instead (see media-tokens.ts), which is
 * no bound.
 */
export function estimateInputTokens(messages: readonly unknown[], bodyBytes: number): InputTokens {
  let textBytes = bodyBytes;
  let mediaTokens = 0;
  for (const message of messages) {
    if (!isRecord(message) || !Array.isArray(message.content)) continue;
    for (const part of message.content) {
      const media = readMediaPart(part);
      if (!media) continue;
      mediaTokens += media.tokens;
      textBytes -= media.dataCharacters;
    }
  }
  return { inputTokensEstimate: Math.max(textBytes + mediaTokens, 1), mediaTokens };
}
