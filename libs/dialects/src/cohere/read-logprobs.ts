import type { TokenLogprob } from '../canonical/generation-event';
import { isRecord } from '../wire/json-value';

/**
 * Reads one item: a piece of text with the probabilities of the tokens that it is made of, which are told
 * together. Empty when it is none. https://docs.cohere.com/reference/chat#response.body.logprobs
 */
export function readLogprobs(item: unknown): TokenLogprob[] {
  if (!isRecord(item) || typeof item.text !== 'string' || !Array.isArray(item.logprobs)) return [];
  const numbers = item.logprobs.filter((value) => typeof value === 'number');
  if (numbers.length === 0) return [];
  return [{ token: item.text, logprob: numbers.reduce((sum, value) => sum + value, 0), bytes: null, top: [] }];
}
