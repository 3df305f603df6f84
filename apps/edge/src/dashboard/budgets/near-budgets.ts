import { budgetOperations, GatewayError, type Budget } from '@tollgate/contracts';
import { someAtOnce } from '@tollgate/service';
import { z } from 'zod';
import type { DashboardServices } from '../dashboard-services';
import { askedAtOnce, listedBudget, withStandings } from './listed-budget';
import { mostNear } from './reached-budgets';

/** `isMore`: there are others. */
export const nearBudgets = z.object({
  data: z.array(listedBudget.extend({ hasRefused: z.boolean() })),
  isMore: z.boolean(),
});

/**
 * The budgets of everybody of which four fifths are spent in the window at hand, or that refused a request in
 * it, as of at most ten seconds ago, and how they stand now. Of those that each name has alone none: who is
 * near the limit of one stands on its page.
 */
export async function readNearBudgets(services: DashboardServices): Promise<z.infer<typeof nearBudgets>> {
  const refused = await services.reachedBudgets.read();
  const ids = [...refused.keys()].slice(0, mostNear);
  const budgets = (await someAtOnce(ids, askedAtOnce, (budgetId) => findBudget(services, budgetId))).flat();
  const data = (await withStandings(services, budgets)).map((budget) => ({
    ...budget,
    hasRefused: refused.get(budget.id) ?? false,
  }));
  return { data, isMore: refused.size > mostNear };
}

/** None where it was removed a moment ago. */
async function findBudget(services: DashboardServices, budgetId: string): Promise<Budget[]> {
  try {
    return [(await services.ask(budgetOperations.find, { budgetId })).budget];
  } catch (error) {
    if (error instanceof GatewayError && error.status === 404) return [];
    throw error;
  }
}
