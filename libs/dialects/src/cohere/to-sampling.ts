import type { CanonicalRequest } from '../canonical/generation-request';
import { invalid } from '../canonical/request-fields';

type Warn = (warning: string) => void;

const mostStopSequences = 5;

/**
 * The limits and the sampling, in Cohere's ranges: https://docs.cohere.com/reference/chat, and that of the
 * temperature: https://github.com/cohere-ai/cohere-developer-experience/pull/523
 * @throws GatewayError 400 for too many stop sequences.
 */
export function toSampling(request: CanonicalRequest, warn: Warn): Record<string, unknown> {
  const { maxOutputTokens, temperature, topP, topK, seed, presencePenalty, frequencyPenalty, logprobs } = request;
  if (logprobs && logprobs.top > 0) warn('top_logprobs was dropped: Cohere tells those of the chosen tokens only');
  return {
    max_tokens: maxOutputTokens,
    temperature: within('temperature', temperature, [0, 1], warn),
    p: within('top_p', topP, [0.01, 0.99], warn),
    k: within('top_k', topK, [0, 500], warn),
    stop_sequences: stopSequences(request.stop),
    seed: within('seed', seed, [0, Number.MAX_SAFE_INTEGER], warn),
    presence_penalty: within('presence_penalty', presencePenalty, [0, 1], warn),
    frequency_penalty: within('frequency_penalty', frequencyPenalty, [0, 1], warn),
    logprobs: logprobs && true,
  };
}

function within(
  name: string,
  value: number | undefined,
  [least, most]: readonly [number, number],
  warn: Warn,
): number | undefined {
  if (value === undefined) return undefined;
  const clamped = Math.min(most, Math.max(least, value));
  if (clamped !== value) warn(`${name} ${value} was clamped to ${clamped}: Cohere takes ${least} to ${most}`);
  return clamped;
}

function stopSequences(stop: readonly string[] = []): string[] | undefined {
  const sequences = stop.filter((sequence) => sequence !== '');
  if (sequences.length > mostStopSequences)
    throw invalid('stop', `holds ${sequences.length} sequences; Cohere takes ${mostStopSequences}`);
  return sequences.length === 0 ? undefined : sequences;
}
