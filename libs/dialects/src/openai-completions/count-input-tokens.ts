import { countTextTokens } from '../tokens/o200k';
import { isRecord } from '../wire/json-value';

/**
 * Input tokens of a text completion by tokenizer: prompt and suffix; tokens that the caller cut itself count
 * as they are.
 */
export function countInputTokens(body: unknown): number {
  return isRecord(body) ? tokensOf(body.prompt) + tokensOf(body.suffix) : 0;
}

function tokensOf(text: unknown): number {
  if (typeof text === 'string') return countTextTokens(text);
  if (typeof text === 'number') return 1;
  if (!Array.isArray(text)) return 0;
  return text.reduce((sum: number, item: unknown) => sum + tokensOf(item), 0);
}
