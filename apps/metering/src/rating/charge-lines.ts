import type { ChargeLine, TokenUsage } from '@tollgate/contracts';
import type { Rates, RateSheet } from './rate-usage';

/** Tokens of a kind at a rate, in whole pico-dollars each. */
export interface RatedTokens {
  kind: ChargeLine['kind'];
  tokens: number;
  rate: bigint;
}

/** The long-context tier that holds for a request: the one with the highest threshold below its input; null for none. */
export function tierOf(sheet: RateSheet, usage: TokenUsage): RateSheet['longContext'][number] | null {
  return sheet.longContext.find((tier) => usage.input > tier.aboveInputTokens) ?? null;
}

/**
 * Splits a request into what is charged, each kind at its rate:
 * - Tokens of a kind without a rate of its own cost the input or output rate.
 * - Kinds are disjoint parts of their total. Should a provider report parts that exceed it, each takes what is left, in the order of the code.
 * - A long-context tier replaces all rates, for all tokens of the request.
 * - The price of a request is charged when it was completed or used any token; a request that failed without a token costs nothing.
 */
export function chargeLines(sheet: RateSheet, usage: TokenUsage, completed: boolean): RatedTokens[] {
  const rates: Rates = tierOf(sheet, usage) ?? sheet;
  const lines: RatedTokens[] = [];
  addParts(lines, { kind: 'input', tokens: usage.input, rate: rates.input }, [
    ['cachedInput', usage.cachedInput, rates.cachedInput],
    ['cacheWrite5m', usage.cacheWrite5m, rates.cacheWrite5m],
    ['cacheWrite1h', usage.cacheWrite1h, rates.cacheWrite1h],
    ['audioInput', usage.audioInput, rates.audioInput],
  ]);
  addParts(lines, { kind: 'output', tokens: usage.output, rate: rates.output }, [
    ['reasoning', usage.reasoning, rates.reasoning],
    ['audioOutput', usage.audioOutput, rates.audioOutput],
  ]);
  if (sheet.perRequest > 0n && (completed || usage.input + usage.output > 0))
    lines.push({ kind: 'request', tokens: 1, rate: sheet.perRequest });
  return lines;
}

/** Adds the lines of a total: its parts, and what they leave of it. Kinds without tokens have no line. */
function addParts(
  lines: RatedTokens[],
  total: RatedTokens,
  parts: [kind: RatedTokens['kind'], tokens: number, rate: bigint | null][],
): void {
  let left = total.tokens;
  for (const [kind, tokens, ownRate] of parts) {
    const counted = Math.min(tokens, left);
    left -= counted;
    if (counted > 0) lines.push({ kind, tokens: counted, rate: ownRate ?? total.rate });
  }
  if (left > 0) lines.push({ ...total, tokens: left });
}
