import { priceSheet, rateNames } from '@tollgate/contracts/catalog';
import type { PriceSheet, PriceTerms } from '@tollgate/contracts/catalog';
import type { Price } from './generated/catalog/client';

/** The columns of table `price` that hold a sheet. */
export type PriceColumns = Pick<Price, `${(typeof rateNames)[number]}Pico` | 'perRequestPico'> & {
  longContext: PriceSheet['longContext'];
  /** Empty when there are none. */
  terms: PriceTerms;
};

/** Micro-dollars per million tokens are pico-dollars per token, so six decimals of a dollar are exact. */
const fractionDigits = 6;
/** Pico-dollars in a micro-dollar: `perRequest` is a price of one request, not of a million. */
const picosPerMicro = 1_000_000n;

/**
 * US dollars per million tokens (at most six decimals) as whole pico-dollars per token: "2.5" is 2500000n.
 */
export function toPicoPerToken(usdPerMillion: string): bigint {
  const [whole = '0', fraction = ''] = usdPerMillion.split('.');
  return BigInt(whole + fraction.padEnd(fractionDigits, '0'));
}

/** The reverse of toPicoPerToken, without trailing zeros. */
export function fromPicoPerToken(pico: bigint): string {
  const digits = pico.toString().padStart(fractionDigits + 1, '0');
  const fraction = digits.slice(-fractionDigits).replace(/0+$/, '');
  return `${digits.slice(0, -fractionDigits)}${fraction && `.${fraction}`}`;
}

/** A price sheet as the columns of a `price` row, without any rounding. */
export function toPriceColumns(sheet: PriceSheet): PriceColumns {
  const pico = (rate: string | null) => (rate === null ? null : toPicoPerToken(rate));
  return {
    inputPico: toPicoPerToken(sheet.input),
    outputPico: toPicoPerToken(sheet.output),
    cachedInputPico: pico(sheet.cachedInput),
    cacheWrite5mPico: pico(sheet.cacheWrite5m),
    cacheWrite1hPico: pico(sheet.cacheWrite1h),
    reasoningPico: pico(sheet.reasoning),
    audioInputPico: pico(sheet.audioInput),
    audioOutputPico: pico(sheet.audioOutput),
    perRequestPico: sheet.perRequest === null ? null : toPicoPerToken(sheet.perRequest) * picosPerMicro,
    longContext: sheet.longContext,
    terms: sheet.terms ?? {},
  };
}

/**
 * The price sheet of a `price` row; the exact reverse of toPriceColumns.
 * @throws ZodError when `longContext` or `terms` was written by something else and is not what a sheet holds.
 */
export function fromPriceColumns(
  row: Omit<PriceColumns, 'longContext' | 'terms'> & { longContext: unknown; terms: unknown },
): PriceSheet {
  const rates = rateNames.map((name) => {
    const pico = row[`${name}Pico`];
    return [name, pico === null ? null : fromPicoPerToken(pico)];
  });
  return priceSheet.parse({
    ...Object.fromEntries(rates),
    perRequest: row.perRequestPico === null ? null : fromPicoPerToken(row.perRequestPico / picosPerMicro),
    longContext: row.longContext,
    ...(hasMembers(row.terms) && { terms: row.terms }),
  });
}

function hasMembers(terms: unknown): boolean {
  return typeof terms === 'object' && terms !== null && Object.keys(terms).length > 0;
}
