import { invalid } from '../canonical/request-fields';
import { textOfTokens } from '../tokens/cl100k';

/** What is to be embedded: texts, or texts that the caller has already cut into the tokens of its model. */
export type EmbeddingInput = { kind: 'texts'; texts: string[] } | { kind: 'tokens'; tokens: number[][] };

/** https://platform.openai.com/docs/api-reference/embeddings/create#embeddings-create-input */
const mostInputs = 2_048;

/**
 * Reads the field `input` in any of its four forms.
 * @throws GatewayError 400 saying what is wrong with it.
 */
export function readInput(input: unknown): EmbeddingInput {
  if (typeof input === 'string') return { kind: 'texts', texts: [checkedText(input, 'input')] };
  if (!Array.isArray(input) || input.length === 0)
    throw invalid(
      'input',
      'is required and must be a non-empty string, or an array of strings, tokens or token arrays',
    );
  const items: readonly unknown[] = input;
  if (typeof items[0] === 'number') return { kind: 'tokens', tokens: [checkedTokens(items, 'input')] };
  if (items.length > mostInputs) throw invalid('input', `must hold at most ${mostInputs} items`);
  if (typeof items[0] === 'string')
    return { kind: 'texts', texts: items.map((item, i) => checkedText(item, `input[${i}]`)) };
  return { kind: 'tokens', tokens: items.map((item, i) => checkedTokens(item, `input[${i}]`)) };
}

function checkedText(item: unknown, path: string): string {
  if (typeof item !== 'string' || item === '') throw invalid(path, 'must be a non-empty string');
  return item;
}

function checkedTokens(item: unknown, path: string): number[] {
  if (!Array.isArray(item) || item.length === 0) throw invalid(path, 'must be a non-empty array of tokens');
  return item.map((token: unknown) => {
    if (typeof token !== 'number' || !Number.isSafeInteger(token) || token < 0)
      throw invalid(path, 'must hold whole numbers of at least 0 only');
    return token;
  });
}

/** What a caller reads whose tokens were decoded. */
export const decodedWarning =
  "the tokens of input were decoded as those of OpenAI's embedding models: this one takes text";

/**
 * Tokens of one input to any of OpenAI's embedding models:
 * https://platform.openai.com/docs/api-reference/embeddings/create#embeddings-create-input Their limit of
 * 300,000 in all needs no check: a request body holds fewer values.
 */
const mostTokens = 8_192;

/**
 * The texts of an input, for models that take no tokens, or other ones.
 * @throws GatewayError 400 for numbers that are no tokens of OpenAI's embedding models, and for more of them
 * than those models take.
 */
export function textsOf(input: EmbeddingInput): string[] {
  if (input.kind === 'texts') return input.texts;
  return input.tokens.map((tokens, index) => {
    if (tokens.length > mostTokens) throw invalid(`input[${index}]`, `must hold at most ${mostTokens} tokens`);
    const text = textOfTokens(tokens);
    if (text === null || text === '')
      throw invalid(`input[${index}]`, "must be text, or tokens of OpenAI's embedding models");
    return text;
  });
}
