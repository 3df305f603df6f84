import { createRequire } from 'node:module';

/** The bytes of a token by its number: as text where they are text, else one by one. */
type Vocabulary = readonly (string | readonly number[] | undefined)[];

let vocabulary: Vocabulary | undefined;

/**
 * The text of tokens of cl100k_base, the encoding of OpenAI's embedding models and the one that clients take
 * for every model whose own they do not know:
 * https://github.com/openai/tiktoken/blob/main/tiktoken/model.py Null for a number that is none of its
 * tokens. The first call loads the vocabulary.
 *
 * All bytes are joined before they become text, because a character may lie in several tokens. The package's
 * own `decode` keeps what is left of a character for the next call, which may be another caller's.
 */
export function textOfTokens(tokens: readonly number[]): string | null {
  vocabulary ??= loadVocabulary();
  const parts: Uint8Array[] = [];
  for (const token of tokens) {
    const bytes = vocabulary[token];
    if (bytes === undefined) return null;
    parts.push(typeof bytes === 'string' ? Buffer.from(bytes) : Uint8Array.from(bytes));
  }
  return Buffer.concat(parts).toString('utf8');
}

function loadVocabulary(): Vocabulary {
  const load = createRequire(__filename);
  const { default: ranks } = load('gpt-tokenizer/bpeRanks/cl100k_base') as { default?: Vocabulary };
  const { Cl100KBase: parametersOf } = load('gpt-tokenizer/encodingParams/cl100k_base') as {
    Cl100KBase?: (ranks: Vocabulary) => { specialTokensEncoder: ReadonlyMap<string, number> };
  };
  if (!Array.isArray(ranks) || !parametersOf)
    throw new TypeError('gpt-tokenizer has no cl100k_base encoding of the known shape');
  const all = [...(ranks as Vocabulary)];
  for (const [name, token] of parametersOf(all).specialTokensEncoder) all[token] = name;
  return all;
}
