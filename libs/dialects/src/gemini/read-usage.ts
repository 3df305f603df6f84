import type { TokenUsage } from '@tollgate/contracts';
import { served, servedTier, usedUnits } from '../canonical/served-terms';
import { isRecord } from '../wire/json-value';

/**
 * Maps `usageMetadata` to ours; null when it counts nothing, as in the middle of Vertex AI's streams. What
 * was cached is part of `promptTokenCount`, what tools of Google's brought in is not, and thoughts are not
 * part of `candidatesTokenCount`. https://ai.google.dev/api/generate-content#UsageMetadata Tokens of images,
 * sound and video are told apart, on both sides: a model may have rates of their own for them
 * (https://ai.google.dev/gemini-api/docs/pricing).
 * The tier that served the request stands in `serviceTier`
 * (https://ai.google.dev/gemini-api/docs/priority-inference) or, at Vertex AI, in `trafficType`.
 */
export function readUsage(metadata: unknown): TokenUsage | null {
  if (!isRecord(metadata)) return null;
  const input = count(metadata.promptTokenCount) + count(metadata.toolUsePromptTokenCount);
  const reasoning = count(metadata.thoughtsTokenCount);
  const output = count(metadata.candidatesTokenCount) + reasoning;
  if (input + output === 0) return null;
  const given = [metadata.promptTokensDetails, metadata.toolUsePromptTokensDetails];
  const inputOf = (modality: Modality): number =>
    Math.min(
      input,
      given.reduce((sum: number, details) => sum + tokensOf(modality, details), 0),
    );
  const outputOf = (modality: Modality): number =>
    Math.min(output, tokensOf(modality, metadata.candidatesTokensDetails));
  return {
    input,
    output,
    cachedInput: Math.min(input, count(metadata.cachedContentTokenCount)),
    cacheWrite5m: 0,
    cacheWrite1h: 0,
    reasoning,
    audioInput: inputOf('AUDIO'),
    audioOutput: outputOf('AUDIO'),
    ...served({
      tier: servedTier(metadata.serviceTier) ?? servedTier(metadata.trafficType),
      imageInput: inputOf('IMAGE') || undefined,
      videoInput: inputOf('VIDEO') || undefined,
      imageOutput: outputOf('IMAGE') || undefined,
    }),
  };
}

/**
 * The larger of each count: every chunk of a stream counts again from the start, and some leave out what an
 * earlier one told.
 */
export function mergeUsage(before: TokenUsage | null, now: TokenUsage): TokenUsage {
  if (before === null) return now;
  return {
    input: Math.max(before.input, now.input),
    output: Math.max(before.output, now.output),
    cachedInput: Math.max(before.cachedInput, now.cachedInput),
    cacheWrite5m: 0,
    cacheWrite1h: 0,
    reasoning: Math.max(before.reasoning, now.reasoning),
    audioInput: Math.max(before.audioInput, now.audioInput),
    audioOutput: Math.max(before.audioOutput, now.audioOutput),
    ...served({ ...before.served, ...now.served }),
  };
}

/**
 * The usage with the searches of Google's that it took: from Gemini 3 on each query is charged, before that
 * the prompt that was grounded, however many queries it made; the model's price says which.
 * https://ai.google.dev/gemini-api/docs/google-search#pricing `maps`: places of Google Maps stand in the
 * answer, which has a price of its own. https://ai.google.dev/gemini-api/docs/maps-grounding
 */
export function withSearches(usage: TokenUsage, queries: number, maps: boolean): TokenUsage {
  const units = usedUnits({ webSearch: queries, groundedPrompt: Math.min(1, queries), mapsPrompt: Number(maps) });
  return units === undefined ? usage : { ...usage, served: { ...usage.served, units } };
}

type Modality = 'AUDIO' | 'IMAGE' | 'VIDEO';

/** https://ai.google.dev/api/generate-content#ModalityTokenCount */
function tokensOf(modality: Modality, details: unknown): number {
  if (!Array.isArray(details)) return 0;
  return details.reduce(
    (sum: number, detail) => sum + (isRecord(detail) && detail.modality === modality ? count(detail.tokenCount) : 0),
    0,
  );
}

function count(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? Math.round(value) : 0;
}
