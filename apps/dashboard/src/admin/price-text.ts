import type { ToldPrice } from '../api/prices';

/** A price in a line; `and more`: there are long inputs, tiers or the like. Null: none is known. */
export function sheetText(sheet: ToldPrice['prices']): string {
  if (!sheet) return 'not known';
  const { input, output, cachedInput, perRequest, longContext, terms } = sheet;
  const parts = [
    `$${input} in`,
    ...(cachedInput === null ? [] : [`$${cachedInput} cached`]),
    `$${output} out`,
    ...(perRequest === null ? [] : [`$${perRequest} a request`]),
    ...(longContext.length > 0 || terms !== undefined ? ['and more'] : []),
  ];
  return parts.join(', ');
}
