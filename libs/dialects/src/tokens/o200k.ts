import { createRequire } from 'node:module';

interface Tokenizer {
  countTokens(text: string, options: { disallowedSpecial: Set<string> }): number;
  setMergeCacheSize(entries: number): void;
}

/** Names of control tokens in a text are plain text to us: nothing is disallowed, nothing is special. */
const plainText = { disallowedSpecial: new Set<string>() };

/** A text's first so many characters are counted exactly (about 0.1 s of work at worst); the rest is taken at the same rate of tokens per character. */
const exactCharacters = 200_000;

/** Byte pair merging takes quadratic time in an unbroken run of one kind of character, so longer runs are cut; ordinary text has none. */
const longRun = /\p{L}{128}|\s{128}|[^\s\p{L}\p{N}]{128}/gu;

const mergeCacheEntries = 10_000;

let tokenizer: Tokenizer | undefined;

/**
 * Tokens of a text in o200k_base, the encoding of OpenAI's models since GPT-4o. Exact up to 200,000 characters (bar runs of more than 128 letters,
 * spaces or signs without a break), extrapolated beyond. The first call loads the vocabulary: about 0.15 s and 60 MB.
 */
export function countTextTokens(text: string): number {
  if (text.length === 0) return 0;
  if (text.length <= exactCharacters) return countExactly(text);
  return Math.ceil((countExactly(text.slice(0, exactCharacters)) / exactCharacters) * text.length);
}

function countExactly(text: string): number {
  tokenizer ??= loadTokenizer();
  let count = 0;
  let start = 0;
  for (const match of text.matchAll(longRun)) {
    const end = match.index + match[0].length;
    count += tokenizer.countTokens(text.slice(start, end), plainText);
    start = end;
  }
  return count + (start < text.length ? tokenizer.countTokens(text.slice(start), plainText) : 0);
}

/** Loaded by require rather than import: counting is synchronous, and most processes never count. */
function loadTokenizer(): Tokenizer {
  const loaded: unknown = createRequire(__filename)('gpt-tokenizer/encoding/o200k_base');
  if (!isTokenizer(loaded)) throw new TypeError('gpt-tokenizer has no o200k_base encoding of the known shape');
  loaded.setMergeCacheSize(mergeCacheEntries);
  return loaded;
}

function isTokenizer(value: unknown): value is Tokenizer {
  return typeof value === 'object' && value !== null && 'countTokens' in value && 'setMergeCacheSize' in value;
}
