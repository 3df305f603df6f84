import type { ServedTerms, TokenUsage } from '@tollgate/contracts';
import type { ChargeLine } from '@tollgate/contracts/metering';
import { toPicoPerToken } from '@tollgate/database';
import type { Rates, RateSheet } from './rate-usage';
import { servedSheet } from './rates-in-force';

/**
 * Tokens of a kind at a rate, in whole pico-dollars each; null: no price is known. `unit`: what was used, of
 * the kind `unit`.
 */
export interface RatedTokens {
  kind: ChargeLine['kind'];
  tokens: number;
  rate: bigint | null;
  unit?: string;
  /** The part of the lines before it that a discount or mark-up is, a decimal string. */
  fraction?: string;
}

const oneInMicro = 1_000_000n;

/**
 * The long-context tier that holds for a request: the one with the highest threshold below its input; null
 * for none.
 */
export function tierOf(sheet: RateSheet, usage: TokenUsage): RateSheet['longContext'][number] | null {
  return servedSheet(sheet, usage.served)?.longContext.find((tier) => usage.input > tier.aboveInputTokens) ?? null;
}

/**
 * Splits a request into what is charged, each kind at its rate:
 * - What served the request decides the rates (see `servedSheet`); where a term is not known no line has a
 *   rate.
 * - Tokens of a kind without a rate of its own cost the input or output rate. What was read from the cache of
 *   what the caller marked costs a part of the input rate, rounded half up, where the price says so.
 * - Kinds are disjoint parts of their total. Should a provider report parts that exceed it, each takes what
 *   is left, in the order of the code.
 * - A long-context tier replaces all rates, for all tokens of the request.
 * - The price of a request is charged when it was completed or used any token; a request that failed without
 *   a token costs nothing.
 * - Units cost their own price, whatever served the request.
 */
export function chargeLines(sheet: RateSheet | null, usage: TokenUsage, completed: boolean): RatedTokens[] {
  const { served } = usage;
  const inForce = sheet && servedSheet(sheet, served);
  const rates: Rates | null = inForce?.longContext.find((tier) => usage.input > tier.aboveInputTokens) ?? inForce;
  const lines: RatedTokens[] = [];
  addParts(lines, { kind: 'input', tokens: usage.input, rate: rates && rates.input }, [
    ['cachedInput', usage.cachedInput, rates && cachedRate(rates, sheet, served)],
    ['cacheWrite5m', usage.cacheWrite5m, rates?.cacheWrite5m],
    ['cacheWrite1h', usage.cacheWrite1h, rates?.cacheWrite1h],
    ['audioInput', usage.audioInput, rates?.audioInput],
    ['imageInput', served?.imageInput, rates?.imageInput],
    ['videoInput', served?.videoInput, rates?.videoInput],
  ]);
  addParts(lines, { kind: 'output', tokens: usage.output, rate: rates && rates.output }, [
    ['reasoning', usage.reasoning, rates?.reasoning],
    ['audioOutput', usage.audioOutput, rates?.audioOutput],
    ['imageOutput', served?.imageOutput, rates?.imageOutput],
  ]);
  if (sheet && sheet.perRequest > 0n && (completed || usage.input + usage.output > 0))
    lines.push({ kind: 'request', tokens: 1, rate: sheet.perRequest });
  for (const [unit, uses] of Object.entries(served?.units ?? {}))
    if (uses > 0) lines.push({ kind: 'unit', unit, tokens: uses, rate: sheet?.units?.get(unit) ?? null });
  return lines;
}

/** What a token from the cache costs; null: no rate of its own. */
function cachedRate(rates: Rates, sheet: RateSheet | null, served: ServedTerms | undefined): bigint | null {
  const part = served?.markedReads ? sheet?.markedReadsMicro : undefined;
  return part === undefined ? rates.cachedInput : (rates.input * part + oneInMicro / 2n) / oneInMicro;
}

/**
 * What the operator's contract for the deployment takes off the lines of an event, and what comes on top of
 * what is left: each a line of its own, of a part of the sum before it, rounded half up to the pico-dollar.
 * None where the sum is not known.
 */
export function factorLines(lines: readonly RatedTokens[], served: ServedTerms | undefined): RatedTokens[] {
  const { discount, markup } = served ?? {};
  if (discount === undefined && markup === undefined) return [];
  const sum = picosOf(lines);
  if (sum === null) return [];
  const part = (of: bigint, fraction = '0'): bigint => (of * toPicoPerToken(fraction) + oneInMicro / 2n) / oneInMicro;
  const off = part(sum, discount);
  const made: RatedTokens[] = [];
  if (discount !== undefined) made.push({ kind: 'discount', tokens: 1, rate: -off, fraction: discount });
  if (markup !== undefined) made.push({ kind: 'markup', tokens: 1, rate: part(sum - off, markup), fraction: markup });
  return made;
}

/** The sum of lines in pico-dollars; null: one of them has no price. */
export function picosOf(lines: readonly RatedTokens[]): bigint | null {
  let picos = 0n;
  for (const { tokens, rate } of lines) {
    if (rate === null) return null;
    picos += BigInt(tokens) * rate;
  }
  return picos;
}

/** Adds the lines of a total: its parts, and what they leave of it. Kinds without tokens have no line. */
function addParts(
  lines: RatedTokens[],
  total: RatedTokens,
  parts: [kind: RatedTokens['kind'], tokens: number | undefined, rate: bigint | null | undefined][],
): void {
  let left = total.tokens;
  for (const [kind, tokens = 0, ownRate] of parts) {
    const counted = Math.min(tokens, left);
    left -= counted;
    if (counted > 0) lines.push({ kind, tokens: counted, rate: ownRate ?? total.rate });
  }
  if (left > 0) lines.push({ ...total, tokens: left });
}
