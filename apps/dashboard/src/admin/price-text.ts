import type { PriceFactors, ToldPrice } from '../api/prices';

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

/** A discount and a markup in a line; null: neither. */
export function factorsText(factors: PriceFactors | null): string {
  const { discount, markup } = factors ?? {};
  const parts = [
    ...(discount === undefined ? [] : [`${percent(discount)} discount`]),
    ...(markup === undefined ? [] : [`${percent(markup)} markup`]),
  ];
  return parts.join(', ') || 'nothing';
}

/** `0.155` is 15.5 %; a fraction has six places at most. */
function percent(fraction: string): string {
  return `${Number((Number(fraction) * 100).toFixed(4))} %`;
}
