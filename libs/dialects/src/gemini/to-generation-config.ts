import type { CanonicalRequest } from '../canonical/generation-request';
import { invalid } from '../canonical/request-fields';

type Warn = (warning: string) => void;

/** https://ai.google.dev/api/generate-content#GenerationConfig */
const mostStopSequences = 5;

/**
 * The sampling and the limits of `generationConfig`.
 * @throws GatewayError 400 for too many stop sequences.
 */
export function toGenerationConfig(request: CanonicalRequest, warn: Warn): Record<string, unknown> {
  const { maxOutputTokens, temperature, topP, topK, choices, logprobs } = request;
  return {
    maxOutputTokens,
    temperature,
    topP,
    topK,
    stopSequences: stopSequences(request.stop),
    seed: seedOf(request.seed, warn),
    candidateCount: choices === 1 ? undefined : choices,
    presencePenalty: penaltyOf('presence penalty', request.presencePenalty, warn),
    frequencyPenalty: penaltyOf('frequency penalty', request.frequencyPenalty, warn),
    responseLogprobs: logprobs && true,
    logprobs: logprobs && logprobs.top > 0 ? logprobs.top : undefined,
  };
}

function stopSequences(stop: readonly string[] = []): string[] | undefined {
  const sequences = stop.filter((sequence) => sequence !== '');
  if (sequences.length > mostStopSequences)
    throw invalid('stop', `holds ${sequences.length} sequences; Gemini takes ${mostStopSequences}`);
  return sequences.length === 0 ? undefined : sequences;
}

/** A seed is a number of 32 bits. */
function seedOf(seed: number | undefined, warn: Warn): number | undefined {
  if (seed === undefined || seed === (seed | 0)) return seed;
  warn('seed was dropped: Gemini takes whole numbers of 32 bits');
  return undefined;
}

/**
 * From -2 up to, but not including, 2.
 * https://cloud.google.com/vertex-ai/generative-ai/docs/reference/rest/v1/GenerationConfig
 */
function penaltyOf(name: string, penalty: number | undefined, warn: Warn): number | undefined {
  if (penalty === undefined || penalty < 2) return penalty === 0 ? undefined : penalty;
  warn(`${name} was changed to 1.99: Gemini takes less than 2`);
  return 1.99;
}
