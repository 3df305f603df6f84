import type { priceOperations, PriceSheet, RateChange } from '@tollgate/contracts';
import type { z } from 'zod';
import type { PriceOrigins } from './imported-price';
import type { PriceLedger } from './price-ledger';
import { rateChanges } from './rate-changes';

export type ImportRequest = z.output<typeof priceOperations.importPrices.request>;
export type ImportReply = z.output<typeof priceOperations.importPrices.reply>;

/** What an import would do to the prices in force. `take` holds sheets that differ, `confirm` the others. */
interface ImportPlan extends Omit<ImportReply, 'applied' | 'from' | 'confirmed'> {
  take: ImportRequest['prices'];
  confirm: ImportRequest['prices'];
}

/** Compares sheets with the prices in force. A model that comes twice counts with its last sheet. */
function planImport(
  { models, operatorPriced }: PriceOrigins,
  inForce: ReadonlyMap<string, PriceSheet>,
  isSet: (model: string) => boolean,
  wanted: ImportRequest['prices'],
): ImportPlan {
  const known = new Set(models.map(({ id }) => id));
  const plan: ImportPlan = { take: [], confirm: [], changes: [], unchanged: [], overridden: [], unknown: [] };
  for (const [model, sheet] of new Map(wanted.map((each) => [each.model, each]))) {
    const changes: RateChange[] = rateChanges(model, inForce.get(model) ?? null, sheet.prices);
    if (!known.has(model)) plan.unknown.push(model);
    else if (isSet(model)) plan.overridden.push(model);
    else if (changes.length === 0) {
      plan.unchanged.push(model);
      if (!operatorPriced.has(model)) plan.confirm.push(sheet);
    } else if (operatorPriced.has(model)) plan.overridden.push(model);
    else {
      plan.take.push(sheet);
      plan.changes.push(...changes);
    }
  }
  return plan;
}

/**
 * Compares price sheets with those in force, and takes them into force where `apply` says so. Nothing is
 * written otherwise.
 */
export async function importPrices(
  ledger: PriceLedger,
  origins: PriceOrigins,
  { source, prices, apply }: ImportRequest,
  nowMs: number,
): Promise<ImportReply> {
  const choice = await ledger.import(origins, source, nowMs, (inForce, isSet) => {
    const plan = planImport(origins, inForce, isSet, prices);
    return { take: apply ? plan.take : [], confirm: apply ? plan.confirm : [], plan };
  });
  const { take: _take, confirm, ...reply } = choice.plan;
  const confirmed = confirm.map(({ model }) => model);
  return { applied: choice.take.length + choice.confirm.length > 0, from: nowMs, ...reply, confirmed };
}
