import type { NanoUsd, TokenUsage } from '@tollgate/contracts';

/** Rates of a price in whole pico-dollars (1e-12 USD) per token. Null: no rate of its own. */
export interface Rates {
  input: bigint;
  output: bigint;
  cachedInput: bigint | null;
  cacheWrite5m: bigint | null;
  cacheWrite1h: bigint | null;
  reasoning: bigint | null;
  audioInput: bigint | null;
  audioOutput: bigint | null;
}

/** A price as it is calculated with. `perRequest` in pico-dollars a request, 0n for none. `longContext` is sorted by its threshold, highest first. */
export interface RateSheet extends Rates {
  perRequest: bigint;
  longContext: (Rates & { aboveInputTokens: number })[];
}

const picosPerNano = 1_000n;

/**
 * What one request costs, in nano-dollars. THE rounding rule of Tollgate, and the only place where money is rounded: the whole event is added up
 * in pico-dollars, exactly, and rounded once, half up, to the nano-dollar.
 *
 * - Tokens of a kind without a rate of its own cost the input or output rate.
 * - Kinds are disjoint parts of their total. Should a provider report parts that exceed it, each takes what is left, in the order of the code.
 * - The long-context tier with the highest threshold below the input replaces all rates, for all tokens of the request.
 * - The price of a request is charged when it was completed or used any token; a request that failed without a token costs nothing.
 */
export function rateUsage(sheet: RateSheet, usage: TokenUsage, completed: boolean): NanoUsd {
  const rates = sheet.longContext.find((tier) => usage.input > tier.aboveInputTokens) ?? sheet;
  const picos =
    partsCost(usage.input, rates.input, [
      [usage.cachedInput, rates.cachedInput],
      [usage.cacheWrite5m, rates.cacheWrite5m],
      [usage.cacheWrite1h, rates.cacheWrite1h],
      [usage.audioInput, rates.audioInput],
    ]) +
    partsCost(usage.output, rates.output, [
      [usage.reasoning, rates.reasoning],
      [usage.audioOutput, rates.audioOutput],
    ]) +
    (completed || usage.input + usage.output > 0 ? sheet.perRequest : 0n);
  return (picos + picosPerNano / 2n) / picosPerNano;
}

/** Pico-dollars of `total` tokens, of which some parts may have rates of their own. */
function partsCost(total: number, rate: bigint, parts: [tokens: number, rate: bigint | null][]): bigint {
  let left = total;
  let picos = 0n;
  for (const [tokens, ownRate] of parts) {
    const counted = Math.min(tokens, left);
    left -= counted;
    picos += BigInt(counted) * (ownRate ?? rate);
  }
  return picos + BigInt(left) * rate;
}
