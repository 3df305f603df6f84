import type { PriceSheet } from '@tollgate/contracts';
import { toPriceColumns } from '@tollgate/database';
import type { Rates, RateSheet } from './rate-usage';

/** A contract's price sheet as what is calculated with. */
export function toRateSheet(sheet: PriceSheet): RateSheet {
  const tiers = sheet.longContext.map((tier) => ({
    ...toRates({ ...tier, perRequest: null, longContext: [] }),
    aboveInputTokens: tier.aboveInputTokens,
  }));
  return {
    ...toRates(sheet),
    perRequest: toPriceColumns(sheet).perRequestPico ?? 0n,
    longContext: tiers.sort((a, b) => b.aboveInputTokens - a.aboveInputTokens),
  };
}

function toRates(sheet: PriceSheet): Rates {
  const columns = toPriceColumns(sheet);
  return {
    input: columns.inputPico,
    output: columns.outputPico,
    cachedInput: columns.cachedInputPico,
    cacheWrite5m: columns.cacheWrite5mPico,
    cacheWrite1h: columns.cacheWrite1hPico,
    reasoning: columns.reasoningPico,
    audioInput: columns.audioInputPico,
    audioOutput: columns.audioOutputPico,
  };
}
