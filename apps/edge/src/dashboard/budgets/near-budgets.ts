import { budgetLeaseOperations, budgetOperations, GatewayError, type Budget } from '@tollgate/contracts';
import { z } from 'zod';
import type { DashboardServices } from '../dashboard-services';
import { listedBudget, someAtOnce, withStandings } from './listed-budget';

/** From so much of a budget on people are told that it ends; see docs/budgets.md. */
const nearPercent = 80;
const mostNear = 50;
/** Metering looks through so many budgets for an answer. */
const page = 500;

/** `isMore`: there are others. */
export const nearBudgets = z.object({
  data: z.array(listedBudget.extend({ hasRefused: z.boolean() })),
  isMore: z.boolean(),
});

/**
 * The budgets of everybody of which four fifths are spent in the window at hand, or that refused a request in
 * it. Of those that each name has alone none: who is near the limit of one stands on its page.
 */
export async function readNearBudgets(services: DashboardServices): Promise<z.infer<typeof nearBudgets>> {
  const refused = new Map<string, boolean>();
  let next: string | null = null;
  do {
    const asked = { percent: nearPercent, limit: page, ...(next !== null && { after: next }) };
    const told: z.output<typeof budgetLeaseOperations.reached.reply> = await services.ask(
      budgetLeaseOperations.reached,
      asked,
    );
    for (const { budgetId, hasRefused } of told.budgets) refused.set(budgetId, hasRefused);
    next = told.next;
  } while (next !== null && refused.size <= mostNear);
  const ids = [...refused.keys()].slice(0, mostNear);
  const budgets = (await someAtOnce(ids, (budgetId) => findBudget(services, budgetId))).flat();
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
