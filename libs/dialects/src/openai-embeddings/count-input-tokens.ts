import { countTextTokens } from '../tokens/o200k';
import { isRecord } from '../wire/json-value';

/**
 * Input tokens of a request for embeddings by tokenizer; tokens that the caller cut itself count as they are.
 * 0 for a body without input.
 */
export function countInputTokens(body: unknown): number {
  return isRecord(body) ? tokensOf(body.input) : 0;
}

function tokensOf(input: unknown): number {
  if (typeof input === 'string') return countTextTokens(input);
  if (typeof input === 'number') return 1;
  if (!Array.isArray(input)) return 0;
  return input.reduce((sum: number, item: unknown) => sum + tokensOf(item), 0);
}
