import { budgetLeaseOperations } from '@tollgate/contracts';
import type { z } from 'zod';
import type { DashboardServices } from '../dashboard-services';

/** From so much of a budget on people are told that it ends; see docs/budgets.md. */
const nearPercent = 80;
/** As many as one page tells. */
export const mostNear = 50;
/** Metering looks through so many budgets for an answer. */
const page = 500;

/**
 * By their ids, the budgets of everybody of which four fifths are spent in the window at hand, or that
 * refused a request in it, and whether they did; more than `mostNear` say that there are others.
 * @throws GatewayError 503 while metering is away.
 */
export async function readReachedBudgets(services: Pick<DashboardServices, 'ask'>): Promise<Map<string, boolean>> {
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
  return refused;
}
