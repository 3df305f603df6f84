import { GatewayError } from '@tollgate/contracts';
import { budgetLeaseOperations, budgetOperations } from '@tollgate/contracts/metering';
import { z } from 'zod';
import type { DashboardServices } from '../dashboard-services';
import { listedBudget, withStandings } from './listed-budget';

const { names, windows } = budgetLeaseOperations;
/** Names of one that each has alone. */
const mostNames = 20;
/** Calendar windows: as many as metering tells at once. */
const mostWindows = 100;

/**
 * A budget at its own address. `names`: of one that each name has alone, those that spent the most.
 * `windows`: what was spent in its calendar windows, the newest first. Null of both: metering does not
 * answer.
 */
export const openedBudget = z.object({
  budget: listedBudget,
  names: names.reply.shape.names.nullable(),
  windows: windows.reply.shape.windows.nullable(),
  ...budgetOperations.notices.reply.shape,
});

/**
 * All there is to know of one. `accountId`: whose it has to be; absent: anybody's.
 * @throws GatewayError 404.
 */
export async function readBudget(
  services: DashboardServices,
  budgetId: string,
  accountId?: string,
): Promise<z.infer<typeof openedBudget>> {
  const { budget } = await services.ask(budgetOperations.find, { budgetId });
  if (accountId !== undefined && budget.accountId !== accountId)
    throw new GatewayError(404, `There is no budget with the id ${JSON.stringify(budgetId)}.`);
  const none = { names: [], windows: [] };
  const [listed, notices, parts, sums] = await Promise.all([
    withStandings(services, [budget]),
    services.ask(budgetOperations.notices, { budgetId }),
    budget.each ? services.askIfThere(names, { budgetId, limit: mostNames }) : none,
    budget.each ? none : services.askIfThere(windows, { budgetId, limit: mostWindows }),
  ]);
  const [one] = listed;
  if (!one) throw new Error('a budget was listed as none');
  return { budget: one, ...notices, names: parts?.names ?? null, windows: sums?.windows ?? null };
}
