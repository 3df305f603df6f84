import type { TokenLogprob } from '../canonical/generation-event';
import { isRecord } from '../wire/json-value';

/**
 * Reads a candidate's `logprobsResult`; empty when it has none. Gemini tells no bytes.
 * https://ai.google.dev/api/generate-content#LogprobsResult
 */
export function readLogprobs(result: unknown): TokenLogprob[] {
  if (!isRecord(result) || !Array.isArray(result.chosenCandidates)) return [];
  const alternatives: unknown[] = Array.isArray(result.topCandidates) ? result.topCandidates : [];
  return result.chosenCandidates.flatMap((chosen: unknown, index) => {
    const token = readToken(chosen);
    const step = alternatives[index];
    const top = isRecord(step) && Array.isArray(step.candidates) ? step.candidates.flatMap(readToken) : [];
    return token.map((read) => ({ ...read, top }));
  });
}

function readToken(value: unknown): { token: string; logprob: number; bytes: null }[] {
  if (!isRecord(value) || typeof value.token !== 'string' || typeof value.logProbability !== 'number') return [];
  return [{ token: value.token, logprob: value.logProbability, bytes: null }];
}
