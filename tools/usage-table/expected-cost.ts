import type { Sheet } from './sheets';
import type { Truth } from './truth';
import { inputOf } from './truth';

/** Micro-dollars of a decimal string of dollars. */
function micros(decimal: string): bigint {
  const [whole = '', fraction = ''] = decimal.split('.');
  return BigInt(whole) * 1_000_000n + BigInt(fraction.padEnd(6, '0'));
}

/**
 * What a completed request costs, in pico-dollars: calculated here in whole numbers, kind by kind, without
 * any code of the product. A rate of so many micro-dollars per million tokens is so many pico-dollars per
 * token.
 */
export function expectedPicoUsd(sheet: Sheet, truth: Truth): bigint {
  const input = inputOf(truth);
  const tiers = (sheet.longContext ?? []).filter((tier) => input > tier.aboveInputTokens);
  const highest = tiers.reduce<(typeof tiers)[number] | null>(
    (best, tier) => (best && best.aboveInputTokens > tier.aboveInputTokens ? best : tier),
    null,
  );
  const rates = highest ?? sheet;
  return (
    BigInt(truth.fresh) * micros(rates.input) +
    BigInt(truth.cached) * micros(rates.cachedInput ?? rates.input) +
    BigInt(truth.write5m) * micros(rates.cacheWrite5m ?? rates.input) +
    BigInt(truth.write1h) * micros(rates.cacheWrite1h ?? rates.input) +
    BigInt(truth.audioIn) * micros(rates.audioInput ?? rates.input) +
    BigInt(truth.text) * micros(rates.output) +
    BigInt(truth.reasoning) * micros(rates.reasoning ?? rates.output) +
    BigInt(truth.audioOut) * micros(rates.audioOutput ?? rates.output) +
    micros(sheet.perRequest ?? '0') * 1_000_000n
  );
}

/** The same in whole nano-dollars, which are a thousand pico-dollars; half of one is rounded up. */
export function expectedNanoUsd(sheet: Sheet, truth: Truth): bigint {
  const picos = expectedPicoUsd(sheet, truth);
  const nanos = picos / 1_000n;
  return picos % 1_000n >= 500n ? nanos + 1n : nanos;
}
