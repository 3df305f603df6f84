import { GatewayError } from '@tollgate/contracts';
import type { CatalogModel } from '@tollgate/contracts/catalog';
import { notWithin } from '../admission/leases/budget-refusals';
import type { ExceededBudget } from '../admission/leases/budget-refusals';
import type { ModelCatalog } from '../catalog/model-catalog';
import type { RequestContext } from '../http/request-context';
import { checkNeeds } from './model-needs';
import { placesFor } from './own-keys';
import { checkWindows } from './request-size';
import type { Served } from './served-request';

/** Names the soft budgets of a request that are used up. */
const exceededHeader = 'x-tollgate-budget-exceeded';

/** Tells a caller that soft budgets are used up, and which model serves instead; null: the one it asked for. */
export function warnOfExceeded(
  exceeded: readonly ExceededBudget[],
  instead: string | null,
  context: RequestContext,
): void {
  const names = exceeded.map(({ name }) => headerText(name)).join(', ');
  context.tell({ [exceededHeader]: names });
  context.warn(`over budget: ${names}${instead === null ? '' : `; ${instead} serves instead`}`);
}

/**
 * The model that is to serve a request of which soft budgets are used up: that of the first that names one
 * which was not `tried` (ids). Null: the one that was tried last serves it.
 * @throws GatewayError 429 where the named one cannot serve it: the operator wanted no dearer one.
 */
export function modelWithin(
  exceeded: readonly ExceededBudget[],
  { model, sent, admitted }: Served,
  tried: ReadonlySet<string>,
  catalog: ModelCatalog,
): CatalogModel | null {
  for (const budget of exceeded) {
    if (budget.fallbackModel === null) continue;
    try {
      const { key } = admitted.caller;
      const instead = catalog.resolve(budget.fallbackModel, key).model;
      if (tried.has(instead.id)) continue;
      if (instead.kind !== model.kind) throw new GatewayError(400, `The model ${instead.id} is of another kind.`);
      checkNeeds(instead, sent.read.needs);
      if (instead.kind === 'generation') checkWindows(sent, placesFor(key, instead, catalog));
      return instead;
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      throw notWithin(budget, error.message);
    }
  }
  return null;
}

/** A name as a header can hold it: what is not ASCII, and what separates names, is escaped as in an address. */
function headerText(name: string): string {
  return name.replace(/[^\x20-\x7e]+|[%,;]/gu, (part) => encodeURIComponent(part));
}
