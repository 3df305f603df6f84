import type { priceOperations, RateChange } from '@tollgate/contracts';
import type { z } from 'zod';
import type { PricedModel } from '../effective/effective-catalog';
import type { PriceOrigins } from './imported-price';
import type { PriceLedger } from './price-ledger';
import { rateChanges } from './rate-changes';

export type ImportRequest = z.output<typeof priceOperations.importPrices.request>;
export type ImportReply = z.output<typeof priceOperations.importPrices.reply>;

/** What an import would do to the prices in force. `take` holds the sheets that differ. */
interface ImportPlan extends Omit<ImportReply, 'applied' | 'from'> {
  take: ImportRequest['prices'];
}

/** Compares sheets with the prices in force. A model that comes twice counts with its last sheet. */
function planImport(
  { models, operatorPriced }: PriceOrigins,
  inForce: readonly PricedModel[],
  wanted: ImportRequest['prices'],
): ImportPlan {
  const known = new Set(models.map(({ id }) => id));
  const before = new Map(inForce.map(({ model, prices }) => [model, prices]));
  const plan: ImportPlan = { take: [], changes: [], unchanged: [], overridden: [], unknown: [] };
  for (const [model, sheet] of new Map(wanted.map((each) => [each.model, each]))) {
    const changes: RateChange[] = rateChanges(model, before.get(model) ?? null, sheet.prices);
    if (!known.has(model)) plan.unknown.push(model);
    else if (changes.length === 0) plan.unchanged.push(model);
    else if (operatorPriced.has(model)) plan.overridden.push(model);
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
  const choice = await ledger.import(origins, source, nowMs, (inForce) => {
    const plan = planImport(origins, inForce, prices);
    return { take: apply ? plan.take : [], plan };
  });
  const { take: _take, ...reply } = choice.plan;
  return { applied: choice.take.length > 0, from: nowMs, ...reply };
}
