import type { LedgerRow } from '../ledger/ledger';
import type { BookedUse } from './price-sheet';

/** What a row of the books is charged for. */
export function useOf(row: LedgerRow): BookedUse {
  const { inputTokens, cacheReadTokens, cacheWriteTokens, cacheWrite1hTokens, outputTokens, searches, served } = row;
  return {
    input: inputTokens - cacheReadTokens - cacheWriteTokens,
    cachedInput: cacheReadTokens,
    cacheWrite5m: cacheWriteTokens - cacheWrite1hTokens,
    cacheWrite1h: cacheWrite1hTokens,
    output: outputTokens,
    webSearch: searches,
    served,
  };
}
