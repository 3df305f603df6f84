import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { BytePairs } from './byte-pairs';

/**
 * What a text is split into before its tokens are looked for, and the tokens. Names of control tokens in a
 * text are plain text to us.
 */
interface Tokenizer {
  pieces: RegExp;
  tokens: BytePairs;
}

/**
 * A text's first so many characters are counted exactly (about 0.6 s of CPU at worst, for Han characters in
 * no order); the rest is taken at the same rate of tokens per character.
 */
const exactCharacters = 200_000;

/**
 * Byte pair merging takes quadratic time in an unbroken run of one kind of character, so longer runs are cut;
 * ordinary text has none. Slashes and ends of lines behind a sign are one run, too.
 */
const longRun = /[\p{L}\p{M}]{128}|\s{128}|[^\s\p{L}\p{N}]{128}|[\r\n/]{128}/gu;

let tokenizer: Tokenizer | undefined;

/**
 * Tokens of a text in o200k_base, the encoding of OpenAI's models since GPT-4o. Exact up to 200,000
 * characters (bar runs of more than 128 of one kind without a break), extrapolated beyond. The first call
 * loads the vocabulary, where `loadVocabulary` did not.
 */
export function countTextTokens(text: string): number {
  if (text.length === 0) return 0;
  if (sample) return sample.count(text);
  if (text.length <= exactCharacters) return countExactly(text);
  return Math.ceil((countExactly(text.slice(0, exactCharacters)) / exactCharacters) * text.length);
}

/**
 * Characters of one body that are counted exactly. Letters without words are the worst: 3 MB of them, in
 * texts of 190,000, took 12 s of CPU at a load of 15, Russian prose 6 s, English 0.2 s.
 */
export const sampledCharacters = 50_000;
/** A shorter piece of a longer text says little of it. */
const leastCharacters = 200;

/**
 * What is counted by samples now, null: nothing is. Counting does not wait for anything, so there is one at a
 * time.
 */
let sample: TextSample | null = null;

/**
 * What `count` counts of a body of so many bytes, which may hold any number of texts: a small one exactly, a
 * larger one by pieces from all over it.
 */
export function countBySample<Counted>(bodyBytes: number, count: () => Counted): Counted {
  sample = bodyBytes > sampledCharacters ? new TextSample(sampledCharacters / 2 / bodyBytes) : null;
  try {
    return count();
  } finally {
    sample = null;
  }
}

/**
 * Counts a share of the characters of many texts, and takes the rest at the rate of tokens per character of
 * what it counted.
 */
class TextSample {
  private counted = 0;
  private tokens = 0;
  /** Characters that may be counted now: half of all at once, as most of a body may be media. */
  private credit = sampledCharacters / 2;

  constructor(private readonly share: number) {}

  count(text: string): number {
    const { length } = text;
    this.credit += length * this.share;
    const taken = Math.min(length, Math.floor(this.credit));
    if (taken < Math.min(length, leastCharacters)) return this.atRate(length, this.tokens / this.counted);
    const start = Math.floor((length - taken) / 2);
    const tokens = countExactly(text.slice(start, start + taken));
    this.credit -= taken;
    this.counted += taken;
    this.tokens += tokens;
    return this.atRate(length, tokens / taken);
  }

  private atRate(characters: number, rate: number): number {
    return Math.max(1, Math.round(characters * rate));
  }
}

/** Loads the vocabulary before anybody counts: whoever is the first would keep all others waiting. */
export function loadVocabulary(): void {
  tokenizer ??= loadTokenizer();
}

function countExactly(text: string): number {
  tokenizer ??= loadTokenizer();
  let count = 0;
  let start = 0;
  for (const match of text.matchAll(longRun)) {
    const end = match.index + match[0].length;
    count += tokensOf(tokenizer, text.slice(start, end));
    start = end;
  }
  return count + (start < text.length ? tokensOf(tokenizer, text.slice(start)) : 0);
}

function tokensOf({ pieces, tokens }: Tokenizer, text: string): number {
  let count = 0;
  for (const [piece] of text.matchAll(pieces)) count += tokens.count(piece);
  return count;
}

/**
 * The tokens are read from the package's file of tiktoken: its own tokenizer keeps them as strings, which
 * takes 60 MB while they are loaded.
 */
function loadTokenizer(): Tokenizer {
  const load = createRequire(__filename);
  const { O200KBase: parametersOf } = load('gpt-tokenizer/encodingParams/o200k_base') as {
    O200KBase?: (ranks: readonly never[]) => { tokenSplitRegex?: unknown };
  };
  const pieces = parametersOf?.([]).tokenSplitRegex;
  if (!(pieces instanceof RegExp)) throw new TypeError('gpt-tokenizer has no o200k_base encoding of the known shape');
  return { pieces, tokens: new BytePairs(readFileSync(load.resolve('gpt-tokenizer/data/o200k_base.tiktoken'))) };
}
