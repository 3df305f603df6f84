import type { NanoUsd, TokenUsage } from '@tollgate/contracts';
import { chargeLines } from './charge-lines';

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
 * What one request costs, in nano-dollars. THE rounding rule of Tollgate, and the only place where money is rounded: the lines of the event (see
 * `chargeLines`) are added up in pico-dollars, exactly, and rounded once, half up, to the nano-dollar.
 */
export function rateUsage(sheet: RateSheet, usage: TokenUsage, completed: boolean): NanoUsd {
  let picos = 0n;
  for (const { tokens, rate } of chargeLines(sheet, usage, completed)) picos += BigInt(tokens) * rate;
  return (picos + picosPerNano / 2n) / picosPerNano;
}
