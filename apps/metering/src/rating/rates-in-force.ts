import type { ServedTerms } from '@tollgate/contracts';
import { hoursAt } from '@tollgate/contracts/catalog';
import { toPicoPerToken } from '@tollgate/database';
import type { Rates, RatedTerm, RateSheet, TieredRates } from './rate-usage';

const oneInMicro = 1_000_000n;

/**
 * A sheet with the rates of the hour at `at` (epoch milliseconds), those of its terms too: the same where it
 * has no hours, or none that hold. Units and the price of a request stay.
 */
export function sheetAtHour(sheet: RateSheet, at: number): RateSheet {
  const hours = hoursAt(sheet.hours, at);
  if (hours === null) return sheet;
  const factorMicro = toPicoPerToken(hours.factor);
  const terms = sheet.terms?.map((term) =>
    'rates' in term ? { ...term, rates: tieredTimes(term.rates, factorMicro) } : term,
  );
  return { ...sheet, ...tieredTimes(sheet, factorMicro), ...(terms && { terms }) };
}

/** The rates for the way in which a request was served; null: the price has no term for it. */
export function servedSheet(sheet: RateSheet, served: ServedTerms | undefined): RateSheet | null {
  let inForce = sheet;
  for (const on of ['tier', 'speed', 'region'] as const) {
    const value = served?.[on];
    if (value === undefined) continue;
    const term = sheet.terms?.find((each) => each.on === on && each.value === value);
    if (!term) return null;
    inForce = withTerm(inForce, term);
  }
  return inForce;
}

function withTerm(sheet: RateSheet, term: RatedTerm): RateSheet {
  if ('rates' in term) return { ...sheet, ...term.rates };
  return { ...sheet, ...tieredTimes(sheet, term.factorMicro) };
}

function tieredTimes(rates: TieredRates, factorMicro: bigint): TieredRates {
  const longContext = rates.longContext.map((tier) => ({
    ...times(tier, factorMicro),
    aboveInputTokens: tier.aboveInputTokens,
  }));
  return { ...times(rates, factorMicro), longContext };
}

/**
 * Every rate times a factor, rounded half up to the pico-dollar per token: six decimals of a dollar per
 * million, as providers print them.
 */
function times(rates: Rates, factorMicro: bigint): Rates {
  const of = (rate: bigint): bigint => (rate * factorMicro + oneInMicro / 2n) / oneInMicro;
  const orNone = (rate: bigint | null | undefined): bigint | null => (rate == null ? null : of(rate));
  return {
    input: of(rates.input),
    output: of(rates.output),
    cachedInput: orNone(rates.cachedInput),
    cacheWrite5m: orNone(rates.cacheWrite5m),
    cacheWrite1h: orNone(rates.cacheWrite1h),
    reasoning: orNone(rates.reasoning),
    audioInput: orNone(rates.audioInput),
    audioOutput: orNone(rates.audioOutput),
    imageInput: orNone(rates.imageInput),
    videoInput: orNone(rates.videoInput),
    imageOutput: orNone(rates.imageOutput),
  };
}
