import type { PriceSheet } from '@tollgate/contracts';
import type { DocumentEntry } from './document-entry';

const kinds = ['cachedInput', 'cacheWrite5m', 'cacheWrite1h', 'reasoning', 'audioInput', 'audioOutput'] as const;
type Kind = (typeof kinds)[number];
type Kinds = Pick<PriceSheet, Kind>;

/**
 * A document's prices of a model, with the rates of the catalog that the document does not tell: kinds of
 * tokens, the price of a request, and the steps by the size of a prompt where it has none at all.
 * A document that is silent says nothing of a rate, not that there is none any more. `kept`: those rates,
 * with their values.
 */
export function keptRates(
  { sheet, tiers }: Extract<DocumentEntry, { reason: null }>,
  current: PriceSheet | null,
): { sheet: PriceSheet; kept: string[] } {
  const kept: string[] = [];
  const base = filled(sheet, (kind) => sheet[kind] !== null, current, '', kept);
  const steps = new Map(current?.longContext.map((step) => [step.aboveInputTokens, step]));
  const told = sheet.longContext.map((step) => {
    const size = step.aboveInputTokens;
    // Documents write 0 where they have no rate, too.
    const isTold = (kind: Kind): boolean => Boolean(tiers.get(size)?.[kind]);
    return filled(step, isTold, steps.get(size) ?? null, ` above ${size} tokens`, kept);
  });
  const longContext = told.length > 0 ? told : [...steps.values()];
  if (told.length === 0) kept.push(...longContext.map(({ aboveInputTokens: size }) => `all above ${size} tokens`));
  const perRequest = sheet.perRequest ?? current?.perRequest ?? null;
  if (sheet.perRequest === null && perRequest !== null) kept.push(`perRequest ${perRequest}`);
  return { sheet: { ...base, perRequest, longContext }, kept };
}

/** Rates with those of the catalog in the place of what is not told. */
function filled<Rates extends Kinds>(
  rates: Rates,
  isTold: (kind: Kind) => boolean,
  current: Kinds | null,
  step: string,
  kept: string[],
): Rates {
  const silent = kinds.flatMap((kind) => {
    const rate = current?.[kind] ?? null;
    return rate === null || isTold(kind) ? [] : [[kind, rate] as const];
  });
  kept.push(...silent.map(([kind, rate]) => `${kind} ${rate}${step}`));
  return { ...rates, ...Object.fromEntries(silent) };
}
