import type { PriceSheet, RateChange } from '@tollgate/contracts/catalog';
import { table } from './table';

/** Rates that change, old and new. */
export function rateTable(changes: readonly RateChange[]): string {
  return table(
    ['model', 'rate', 'old', 'new'],
    changes.map(({ model, rate, before, after }) => [model, rate, before ?? 'none', after ?? 'none']),
  );
}

/** A price in a line: what everybody pays; `…` where there is more to it, such as long inputs and tiers. */
export function sheetText(sheet: PriceSheet | null): string {
  if (!sheet) return 'not known';
  const { input, output, cachedInput, perRequest, longContext, terms } = sheet;
  const parts = [
    `${input} in`,
    ...(cachedInput === null ? [] : [`${cachedInput} cached`]),
    `${output} out`,
    ...(perRequest === null ? [] : [`${perRequest} a request`]),
    ...(longContext.length > 0 || terms !== undefined ? ['…'] : []),
  ];
  return parts.join(', ');
}
