import { fromPriceColumns, toPriceColumns } from '@tollgate/database';
import { rateNames, type PriceSheet, type RateChange } from '@tollgate/contracts/catalog';

/**
 * What differs between two sheets of a model, rate by rate; a tier's rates carry its threshold. Null: there
 * is no price. "2.50" is "2.5".
 */
export function rateChanges(model: string, before: PriceSheet | null, after: PriceSheet | null): RateChange[] {
  const old = ratesOf(before);
  const wanted = ratesOf(after);
  return [...new Set([...old.keys(), ...wanted.keys()])].flatMap((rate) => {
    const change = { model, rate, before: old.get(rate) ?? null, after: wanted.get(rate) ?? null };
    return change.before === change.after ? [] : [change];
  });
}

function ratesOf(sheet: PriceSheet | null): Map<string, string> {
  const rates = new Map<string, string>();
  if (!sheet) return rates;
  const { longContext, perRequest, ...base } = canonical(sheet);
  for (const name of rateNames) if (base[name] !== null) rates.set(name, base[name]);
  if (perRequest !== null) rates.set('perRequest', perRequest);
  for (const { aboveInputTokens, ...tier } of longContext) {
    const written = canonical({ ...tier, perRequest: null, longContext: [] });
    for (const name of rateNames) {
      const rate = written[name];
      if (rate !== null) rates.set(`${name} above ${aboveInputTokens} tokens`, rate);
    }
  }
  return rates;
}

/** The sheet with every decimal in its shortest form. */
function canonical(sheet: PriceSheet): PriceSheet {
  return fromPriceColumns(toPriceColumns(sheet));
}
