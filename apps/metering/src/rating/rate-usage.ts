import { isOnOwnKey, noUsage, withoutParts } from '@tollgate/contracts';
import type { NanoUsd, TokenUsage, UsageEvent } from '@tollgate/contracts';
import type { PriceHours, PriceTerm } from '@tollgate/contracts/catalog';
import { chargeLines, factorLines, picosOf } from './charge-lines';
import type { RatedTokens } from './charge-lines';
import { sheetAtHour } from './rates-in-force';

/** Rates of a price in whole pico-dollars (1e-12 USD) per token. Null or absent: no rate of its own. */
export interface Rates {
  input: bigint;
  output: bigint;
  cachedInput: bigint | null;
  cacheWrite5m: bigint | null;
  cacheWrite1h: bigint | null;
  reasoning: bigint | null;
  audioInput: bigint | null;
  audioOutput: bigint | null;
  imageInput?: bigint | null;
  videoInput?: bigint | null;
  imageOutput?: bigint | null;
}

/** Rates, and those of prompts beyond a threshold, which is the highest first. */
export interface TieredRates extends Rates {
  longContext: (Rates & { aboveInputTokens: number })[];
}

/** A term of a price (see the contract's `priceTerm`). `factorMicro`: millionths. */
export type RatedTerm = Pick<PriceTerm, 'on' | 'value'> & ({ factorMicro: bigint } | { rates: TieredRates });

/**
 * A price as it is calculated with. `perRequest` in pico-dollars a request, 0n for none. `longContext` is
 * sorted by its threshold, highest first. `terms`, `hours`, `units` (pico-dollars for each use) and
 * `markedReadsMicro` (millionths of the input rate) absent: none.
 */
export interface RateSheet extends TieredRates {
  perRequest: bigint;
  terms?: readonly RatedTerm[];
  hours?: readonly PriceHours[];
  units?: ReadonlyMap<string, bigint>;
  markedReadsMicro?: bigint;
}

/** A price row that rates. */
export interface FoundPrice {
  id: string;
  sheet: RateSheet;
}

/**
 * A line of an event's charge; `part`: of a part of it, with the price row that rates that (null: none is
 * known), the provider that served it (undefined: that of the rest) and the discount there.
 */
export type EventLine = RatedTokens & {
  part?: { model: string; price: FoundPrice | null; provider?: string | undefined; discount?: string | undefined };
};

/**
 * What an event costs. `price`: the row of its own model. `nanoUsd` null: unpriced, because a price of
 * something in it is not known.
 */
export interface EventCharge {
  price: FoundPrice | null;
  lines: EventLine[];
  nanoUsd: NanoUsd | null;
}

const picosPerNano = 1_000n;

/**
 * What one request costs, in nano-dollars; null: a line of it has no price. THE rounding rule of Tollgate,
 * and the only place where money is rounded: the lines of the event (see `chargeLines`) are added up in
 * pico-dollars, exactly, and rounded once, half up, to the nano-dollar.
 */
export function rateUsage(sheet: RateSheet, usage: TokenUsage, completed: boolean): NanoUsd | null {
  return sumOf(chargeLines(sheet, usage, completed));
}

/**
 * Whether the price of a request is due: it was completed, and by a provider. What tokens cost is due in any
 * case.
 */
function isCharged({ state, cached }: Pick<UsageEvent, 'state' | 'cached'>): boolean {
  return state === 'completed' && !cached;
}

/**
 * Charges an event: the rest of it at the row of its own model, and each of its parts, which has a step of
 * the price of its own, at the rows that `find` gives. The rates are those of the hour at which it ended: the
 * one provider whose prices have hours said so when it first had some (DeepSeek, 2025: the completion of a
 * request decides;
 * today's page names no moment). https://api-docs.deepseek.com/quick_start/pricing
 * What went with a key of its account costs nothing, and has no line.
 */
export function chargeEvent(
  event: Pick<UsageEvent, 'model' | 'usage' | 'state' | 'cached' | 'endedAt'> & Parameters<typeof isOnOwnKey>[0],
  findRow: (model: string) => FoundPrice | null,
): EventCharge {
  const find = (model: string): FoundPrice | null => atHour(findRow(model), event.endedAt);
  const price = find(event.model);
  if (isOnOwnKey(event)) return { price, lines: [], nanoUsd: price && 0n };
  const parts = event.usage.served?.parts ?? [];
  const own = price ? chargeLines(price.sheet, withoutParts(event.usage), isCharged(event)) : null;
  const { tier, speed, region, markedReads } = event.usage.served ?? {};
  const others = parts.flatMap(({ model, provider, served, ...tokens }) => {
    const rating = find(model);
    // What served the request served all of it, but for what another place served.
    const terms = provider === undefined ? { tier, speed, region, markedReads } : served;
    const lines = chargeLines(rating?.sheet ?? null, { ...noUsage, ...tokens, served: terms }, false);
    const all = provider === undefined ? lines : [...lines, ...factorLines(lines, served)];
    const part = { model, price: rating, provider, discount: served?.discount };
    return all.map((line): EventLine => ({ ...line, part }));
  });
  const listed: EventLine[] = [...(own ?? []), ...others];
  const here = listed.filter(({ part }) => part?.provider === undefined);
  const lines = [...listed, ...(own ? factorLines(here, event.usage.served) : [])];
  return { price, lines, nanoUsd: own && sumOf(lines) };
}

/** A price row with the rates of an hour (epoch milliseconds). */
export function atHour(price: FoundPrice | null, at: number): FoundPrice | null {
  return price && { ...price, sheet: sheetAtHour(price.sheet, at) };
}

function sumOf(lines: readonly RatedTokens[]): NanoUsd | null {
  const picos = picosOf(lines);
  return picos === null ? null : (picos + picosPerNano / 2n) / picosPerNano;
}
