/**
 * What a request really used: disjoint kinds of tokens. Provider bodies are made from it by their documented
 * conventions, and costs are worked out from it, so that neither depends on what the product reads.
 */
export interface Truth {
  /** Input that is neither cached, written into a cache, nor audio. */
  fresh: number;
  cached: number;
  write5m: number;
  write1h: number;
  audioIn: number;
  /** Output that is neither reasoning nor audio. */
  text: number;
  reasoning: number;
  audioOut: number;
}

const nothing: Truth = { fresh: 0, cached: 0, write5m: 0, write1h: 0, audioIn: 0, text: 0, reasoning: 0, audioOut: 0 };

/**
 * Requests as they come: short, cached, long, at and around the thresholds of tiers, with odd numbers that
 * need rounding.
 */
export const truths: readonly Truth[] = [
  { ...nothing, fresh: 11, text: 1 },
  { ...nothing, fresh: 1_237, text: 389, reasoning: 127 },
  { ...nothing, fresh: 421, cached: 12_288, text: 1_013, reasoning: 640 },
  { ...nothing, fresh: 77, cached: 3_071, write5m: 1_920, text: 256 },
  { ...nothing, fresh: 3, cached: 9_999, write5m: 2_048, write1h: 4_097, text: 777, reasoning: 333 },
  { ...nothing, fresh: 512, audioIn: 1_331, text: 97, audioOut: 613 },
  { ...nothing, fresh: 200_000, text: 2_003 },
  { ...nothing, fresh: 131_073, cached: 68_928, text: 4_001, reasoning: 12_345 },
  {
    ...nothing,
    fresh: 150_001,
    cached: 100_003,
    write5m: 30_011,
    write1h: 7_001,
    audioIn: 501,
    text: 31_999,
    reasoning: 1,
  },
  { ...nothing, fresh: 912_345, cached: 1, text: 65_536, reasoning: 65_535, audioOut: 3 },
];

/** What a provider cannot tell apart becomes part of the plain kind: its bill does not know it either. */
export function seenAs(truth: Truth, told: readonly (keyof Truth)[]): Truth {
  const seen: Truth = { ...truth };
  for (const kind of ['cached', 'write5m', 'write1h', 'audioIn'] as const)
    if (!told.includes(kind)) move(seen, kind, 'fresh');
  for (const kind of ['reasoning', 'audioOut'] as const) if (!told.includes(kind)) move(seen, kind, 'text');
  return seen;
}

export function inputOf({ fresh, cached, write5m, write1h, audioIn }: Truth): number {
  return fresh + cached + write5m + write1h + audioIn;
}

export function outputOf({ text, reasoning, audioOut }: Truth): number {
  return text + reasoning + audioOut;
}

function move(truth: Truth, from: keyof Truth, to: keyof Truth): void {
  truth[to] += truth[from];
  truth[from] = 0;
}
