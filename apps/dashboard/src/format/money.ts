import { decimalFromNanoUsd } from '@tollgate/contracts';
import { formatCount } from './number';

const nanosPerUsd = 1_000_000_000n;
const smallNanos = nanosPerUsd / 100n;

type Decimal = `${number}`;
const decimalOf = (nanos: bigint) => decimalFromNanoUsd(nanos) as Decimal;

/**
 * US dollars in the reader's locale, never through a float: cents from a dollar on, four digits below, three
 * significant ones below a cent.
 */
export function formatMoney(nanoUsd: string, locale?: string): string {
  const nanos = BigInt(nanoUsd);
  const size = nanos < 0n ? -nanos : nanos;
  const digits: Intl.NumberFormatOptions =
    size === 0n || size >= nanosPerUsd
      ? { minimumFractionDigits: 2, maximumFractionDigits: 2 }
      : size >= smallNanos
        ? { minimumFractionDigits: 2, maximumFractionDigits: 4 }
        : { maximumSignificantDigits: 3 };
  return currency(digits, locale).format(decimalOf(nanos));
}

/**
 * What a sum of costs says of the requests that have no price; null: each has one. Where none has, the sum of
 * nothing would look like a gift.
 */
export function unpricedWords({ requests, unpricedRequests }: Unpriced): string | null {
  if (unpricedRequests === 0) return null;
  if (unpricedRequests >= requests) return 'unpriced';
  return `${formatCount(unpricedRequests)} unpriced`;
}

interface Unpriced {
  requests: number;
  unpricedRequests: number;
}

/** Every digit there is: for one request, where the exact charge counts. */
export function formatExactMoney(nanoUsd: string, locale?: string): string {
  const digits = { minimumFractionDigits: 2, maximumFractionDigits: 9 };
  return currency(digits, locale).format(decimalOf(BigInt(nanoUsd)));
}

/** Every digit of whole pico-dollars (1e-12 US dollars): for a line of a charge, which is not rounded. */
export function formatPicoMoney(picoUsd: string, locale?: string): string {
  const digits = { minimumFractionDigits: 2, maximumFractionDigits: 12 };
  const sign = picoUsd.startsWith('-') ? '-' : '';
  const padded = picoUsd.slice(sign.length).padStart(13, '0');
  return currency(digits, locale).format(`${sign}${padded.slice(0, -12)}.${padded.slice(-12)}` as Decimal);
}

/** A price per million tokens: a decimal string of US dollars. */
export function formatPrice(usdPerMillion: string, locale?: string): string {
  return currency({ minimumFractionDigits: 2, maximumFractionDigits: 6 }, locale).format(usdPerMillion as Decimal);
}

/** The cost of `tokens` at a price in US dollars per million, in whole nano-dollars, rounded half up. */
export function costOf(tokens: number, usdPerMillion: string): bigint {
  return (BigInt(tokens) * millionthsOf(usdPerMillion) + 500n) / 1_000n;
}

/** An amount times a decimal factor, rounded half up. */
export function timesDecimal(amount: bigint, factor: string): bigint {
  return (amount * millionthsOf(factor) + 500_000n) / 1_000_000n;
}

function millionthsOf(decimal: string): bigint {
  const [whole = '0', fraction = ''] = decimal.split('.');
  return BigInt(whole) * 1_000_000n + BigInt(fraction.padEnd(6, '0').slice(0, 6) || '0');
}

/** Where a chart draws it: a position on a screen needs no more digits than a float has. */
export const toChartUsd = (nanoUsd: string): number => Number(nanoUsd) / 1e9;

function currency(digits: Intl.NumberFormatOptions, locale?: string): Intl.NumberFormat {
  return new Intl.NumberFormat(locale, {
    style: 'currency',
    currency: 'USD',
    currencyDisplay: 'narrowSymbol',
    ...digits,
  });
}
