import type { LedgerRow } from '../ledger/ledger';
import { chargeOf, noUse, type BookedUse, type Charge } from './price-sheet';

/** What a row of the books is charged for, without its other samplings. */
function useOf(row: LedgerRow): BookedUse {
  const { inputTokens, cacheReadTokens, cacheWriteTokens, cacheWrite1hTokens, outputTokens, units, served } = row;
  const { audioInputTokens: audioInput, audioOutputTokens: audioOutput } = row;
  return {
    input: inputTokens - cacheReadTokens - cacheWriteTokens - audioInput,
    audioInput,
    cachedInput: cacheReadTokens,
    cacheWrite5m: cacheWriteTokens - cacheWrite1hTokens,
    cacheWrite1h: cacheWrite1hTokens,
    output: outputTokens - audioOutput,
    audioOutput,
    units,
    served,
  };
}

/**
 * What a row is charged for, sampling by sampling, the one of the answer first. `charge` null: the model has
 * no price here.
 */
export function chargesOf(row: LedgerRow): { model: string; use: BookedUse; charge: Charge | null }[] {
  const { served, samplings } = row;
  const uses = [
    { model: row.answeredBy ?? row.model, use: useOf(row) },
    ...samplings.map(({ model, inputTokens: input, outputTokens: output }) => ({
      model,
      use: { ...noUse, input, output, served },
    })),
  ];
  return uses.map(({ model, use }) => ({ model, use, charge: chargeOf(model, use) }));
}
