import type { PriceSheet } from '@tollgate/contracts/catalog';

/**
 * What a request used, as the ledger has it: tokens in the convention of a usage event, the words of what
 * served it, and how often it used tools of the provider.
 */
export interface UsedTokens {
  input_tokens: number;
  output_tokens: number;
  cached_input: number;
  cache_write_5m: number;
  cache_write_1h: number;
  reasoning: number;
  ended_at: Date;
  served: {
    words: readonly string[];
    markedReads: boolean;
    units: Readonly<Record<string, number>>;
    parts: readonly unknown[];
  };
}

/**
 * What a completed request costs in nano-dollars, from the price sheet alone: written apart from metering, so
 * that the two check each other. Null: a tool that it used has no price, what served it has none, or it was
 * sampled more than once, of which this knows nothing.
 */
export function nanoUsdDue(sheet: PriceSheet, event: UsedTokens): bigint | null {
  const { words, markedReads, units, parts } = event.served;
  const terms = sheet.terms ?? {};
  const ways = words.map((word) => terms.served?.find(({ value }) => value === word)?.factor);
  const uses = Object.entries(units).map(([unit, count]) => ({ count, each: terms.units?.[unit] }));
  if (parts.length > 0 || ways.includes(undefined) || uses.some(({ each }) => each === undefined)) return null;
  const tier = sheet.longContext
    .toSorted((a, b) => b.aboveInputTokens - a.aboveInputTokens)
    .find(({ aboveInputTokens }) => event.input_tokens > aboveInputTokens);
  const { input, output, cachedInput, cacheWrite5m, cacheWrite1h, reasoning } = tier ?? sheet;
  const factors = [factorAt(terms, event.ended_at), ...ways];
  const at = (rate: string): bigint => factors.reduce((each, factor) => times(each, factor ?? '1'), millionths(rate));
  const part = markedReads ? terms.markedReads : undefined;
  const lines: [tokens: number, usdPerMillion: string, part?: string][] = [
    [event.input_tokens - event.cached_input - event.cache_write_5m - event.cache_write_1h, input],
    part === undefined ? [event.cached_input, cachedInput ?? input] : [event.cached_input, input, part],
    [event.cache_write_5m, cacheWrite5m ?? input],
    [event.cache_write_1h, cacheWrite1h ?? cacheWrite5m ?? input],
    [event.output_tokens - event.reasoning, output],
    [event.reasoning, reasoning ?? output],
  ];
  // US dollars for a million tokens are pico-dollars for a token, times a million; the price of a request or
  // of a use is in US dollars.
  const ofTokens = lines.reduce((sum, [tokens, rate, of = '1']) => sum + BigInt(tokens) * times(at(rate), of), 0n);
  const ofUses = uses.reduce((sum, { count, each }) => sum + BigInt(count) * millionths(each ?? '0'), 0n);
  return (ofTokens + (ofUses + millionths(sheet.perRequest ?? '0')) * 1_000_000n + 500n) / 1_000n;
}

/** What rates are multiplied by at the hour at which a request ended. */
function factorAt({ hours }: NonNullable<PriceSheet['terms']>, ended: Date): string {
  const minutes = ended.getUTCHours() * 60 + ended.getUTCMinutes();
  const minutesOf = (clock: string): number => Number(clock.slice(0, 2)) * 60 + Number(clock.slice(3));
  const date = ended.toISOString().slice(0, 10);
  const holds = hours?.find(
    ({ days, from, to, except }) =>
      days.includes(((ended.getUTCDay() + 6) % 7) + 1) &&
      !except.includes(date) &&
      minutes >= minutesOf(from) &&
      minutes < minutesOf(to),
  );
  return holds?.factor ?? '1';
}

/** A rate times a decimal string, rounded half up to a millionth of a dollar per million tokens. */
function times(rate: bigint, factor: string): bigint {
  return (rate * millionths(factor) + 500_000n) / 1_000_000n;
}

/** A decimal string of up to six digits behind its point, in millionths. */
function millionths(decimal: string): bigint {
  const [whole = '0', part = ''] = decimal.split('.');
  return BigInt(whole) * 1_000_000n + BigInt(part.padEnd(6, '0'));
}
