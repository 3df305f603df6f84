/**
 * A text of up to this many bytes is not looked at: one token a byte, which no tokenizer exceeds, sets little
 * aside.
 */
const smallBytes = 4_096;
/**
 * A longer one is looked at in so many places, each somewhere in its part of the text, so that nobody can
 * know where.
 */
const samples = 16;
const sampleBytes = 192;

const [lower, upper, digit, space, sign, inside, twoBytes, threeBytes, rareBytes] = [
  0, 1, 2, 3, 4, 5, 6, 7, 8,
] as const;
const kindOf = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte >= 0x61 && byte <= 0x7a) return lower;
  if (byte >= 0x41 && byte <= 0x5a) return upper;
  if (byte >= 0x30 && byte <= 0x39) return digit;
  if (byte === 0x20 || (byte >= 0x09 && byte <= 0x0d)) return space;
  if (byte < 0x80) return sign;
  if (byte < 0xc0) return inside;
  if (byte < 0xe0) return twoBytes;
  return byte === 0xe1 || byte >= 0xf0 ? rareBytes : threeBytes;
});

/**
 * Tokens of the first byte of a run of one kind, and of each further one. Calibrated against o200k_base and
 * cl100k_base: the whole comes to 1.1 to 1.4 times their count for prose, code, JSON, hexadecimal and random
 * letters, and more for scripts that o200k_base knows well; 0.8 for bare base64, which is media nearly
 * always, and that counts by itself. Anthropic's tokenizer makes up to a third more tokens than these two.
 */
const firstTokens = [0.85, 0.75, 0.8, 0.1, 0.7, 0, 0.7, 1.2, 2.8] as const;
const furtherTokens = [0.07, 0.4, 0.45, 0.03, 0.6, 0, 0.7, 1.2, 2.8] as const;
/** A capital begins most words that it stands in. */
const afterCapitalTokens = 0.1;
/** Letters far into a run: few words are so long, and none longer than the second. */
const longWord = { from: 8, tokens: 0.25 };
const noWord = { from: 25, tokens: 0.55 };
const margin = 1.15;

/**
 * About how many tokens a byte of this text makes, erring upward; 1 for a short one. Without `media`, all of
 * it is text.
 */
export function tokensPerByte(text: Uint8Array, media: boolean): number {
  if (text.length <= smallBytes) return 1;
  const part = Math.floor(text.length / samples);
  let tokens = 0;
  let bytes = 0;
  for (let start = 0; start + part <= text.length; start += part) {
    const at = start + Math.floor(Math.random() * Math.max(1, part - sampleBytes));
    const sample = text.subarray(at, at + sampleBytes);
    if (media && isData(sample)) continue;
    tokens += tokensOf(sample);
    bytes += sample.length;
  }
  return bytes === 0 ? 1 : Math.min(1, (tokens / bytes) * margin);
}

/** Of a text of this many characters only the beginning is looked at. */
const lookedAt = 512;

/** About how many tokens a text makes, by its beginning. */
export function tokensAbout(text: string): number {
  const beginning = text.slice(0, lookedAt);
  return beginning === '' ? 0 : (tokensOf(Buffer.from(beginning)) * text.length) / beginning.length;
}

/** Base64 has neither spaces nor quotes. */
function isData(sample: Uint8Array): boolean {
  return !sample.includes(0x20) && !sample.includes(0x22);
}

function tokensOf(sample: Uint8Array): number {
  let tokens = 0;
  let previous = -1;
  let run = 0;
  for (const byte of sample) {
    const kind = kindOf[byte] ?? sign;
    run = kind === previous ? run + 1 : 0;
    if (run === 0) tokens += kind === lower && previous === upper ? afterCapitalTokens : (firstTokens[kind] ?? 1);
    else if (kind === lower && run >= longWord.from) tokens += (run >= noWord.from ? noWord : longWord).tokens;
    else tokens += furtherTokens[kind] ?? 1;
    previous = kind;
  }
  return tokens;
}
