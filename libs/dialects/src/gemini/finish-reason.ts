import type { FinishReason } from '../canonical/generation-event';

/** https://ai.google.dev/api/generate-content#FinishReason */
const reasons: Readonly<Record<string, FinishReason>> = {
  STOP: 'stop',
  MAX_TOKENS: 'length',
  // A hop of a long answer of Gemini 4 is full; the caller asks again for more.
  // https://ai.google.dev/gemini-api/docs/generate-content/long-decode
  CONTINUATION: 'length',
  SAFETY: 'content-filter',
  RECITATION: 'content-filter',
  LANGUAGE: 'content-filter',
  BLOCKLIST: 'content-filter',
  PROHIBITED_CONTENT: 'content-filter',
  SPII: 'content-filter',
  MODEL_ARMOR: 'content-filter',
  IMAGE_SAFETY: 'content-filter',
  IMAGE_PROHIBITED_CONTENT: 'content-filter',
  IMAGE_RECITATION: 'content-filter',
};

/** The model broke its own grammar, which a second try may mend. */
const broken = ['MALFORMED_FUNCTION_CALL', 'UNEXPECTED_TOOL_CALL', 'MALFORMED_RESPONSE'];

/** OTHER, and every reason yet to come, is `unknown`. */
export function finishReason(raw: string): FinishReason {
  return (Object.hasOwn(reasons, raw) ? reasons[raw] : undefined) ?? 'unknown';
}

/**
 * True where the model failed to write an answer or a call that can be used; OTHER says no more of its
 * reason. What came before is no whole answer.
 */
export function isBroken(raw: string): boolean {
  return raw === 'OTHER' || broken.includes(raw);
}
