import { createRequire } from 'node:module';

interface Decoder {
  decode(tokens: Iterable<number>): string;
}

let decoder: Decoder | undefined;

/**
 * The text of tokens of cl100k_base, the encoding of OpenAI's embedding models and the one that clients take for every model whose own they do not know:
 * https://github.com/openai/tiktoken/blob/main/tiktoken/model.py Null for a number that is none of its tokens. The first call loads the vocabulary.
 */
export function textOfTokens(tokens: readonly number[]): string | null {
  decoder ??= loadDecoder();
  try {
    return decoder.decode(tokens);
  } catch {
    return null;
  }
}

function loadDecoder(): Decoder {
  const loaded: unknown = createRequire(__filename)('gpt-tokenizer/encoding/cl100k_base');
  if (!isDecoder(loaded)) throw new TypeError('gpt-tokenizer has no cl100k_base encoding of the known shape');
  return loaded;
}

function isDecoder(value: unknown): value is Decoder {
  return typeof value === 'object' && value !== null && 'decode' in value;
}
