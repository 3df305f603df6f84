import type { PriceSheet, PriceTerm } from '@tollgate/contracts/catalog';
import { toPicoPerToken, toPriceColumns } from '@tollgate/database';
import type { Rates, RatedTerm, RateSheet } from './rate-usage';

/** Pico-dollars for each use: a unit's price is of one, not of a million. */
const picosPerMicro = 1_000_000n;

/** A contract's price sheet as what is calculated with. */
export function toRateSheet(sheet: PriceSheet): RateSheet {
  const { served = [], hours = [], units = {}, markedReads } = sheet.terms ?? {};
  return {
    ...toTieredRates(sheet),
    perRequest: toPriceColumns(sheet).perRequestPico ?? 0n,
    ...(served.length > 0 && { terms: served.map(toRatedTerm) }),
    ...(hours.length > 0 && { hours }),
    ...(markedReads !== undefined && { markedReadsMicro: toPicoPerToken(markedReads) }),
    units: new Map(Object.entries(units).map(([unit, usd]) => [unit, toPicoPerToken(usd) * picosPerMicro])),
  };
}

function toRatedTerm({ on, value, factor, rates }: PriceTerm): RatedTerm {
  if (rates) return { on, value, rates: toTieredRates({ ...rates, perRequest: null }) };
  return { on, value, factorMicro: toPicoPerToken(factor ?? '1') };
}

function toTieredRates(sheet: PriceSheet): Rates & Pick<RateSheet, 'longContext'> {
  const tiers = sheet.longContext.map((tier) => ({
    ...toRates({ ...tier, perRequest: null, longContext: [] }),
    aboveInputTokens: tier.aboveInputTokens,
  }));
  return { ...toRates(sheet), longContext: tiers.sort((a, b) => b.aboveInputTokens - a.aboveInputTokens) };
}

function toRates(sheet: PriceSheet): Rates {
  const columns = toPriceColumns(sheet);
  const { imageInput, videoInput, imageOutput } = sheet.terms?.kinds ?? {};
  const pico = (rate: string | undefined): bigint | null => (rate === undefined ? null : toPicoPerToken(rate));
  return {
    input: columns.inputPico,
    output: columns.outputPico,
    cachedInput: columns.cachedInputPico,
    cacheWrite5m: columns.cacheWrite5mPico,
    cacheWrite1h: columns.cacheWrite1hPico,
    reasoning: columns.reasoningPico,
    audioInput: columns.audioInputPico,
    audioOutput: columns.audioOutputPico,
    imageInput: pico(imageInput),
    videoInput: pico(videoInput),
    imageOutput: pico(imageOutput),
  };
}
