import { z } from 'zod';
import { administrationOperations } from '@tollgate/contracts/accounts';
import {
  budget,
  budgetLeaseOperations,
  budgetOperations,
  budgetState,
  type Budget,
} from '@tollgate/contracts/metering';
import { someAtOnce } from '@tollgate/service';
import type { DashboardServices } from '../dashboard-services';
import { pageOf } from '../route';

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

const budgetName = budgetLeaseOperations.names.reply.shape.names.element;

/**
 * A budget in a list. `keys`: those that it is of, the newest last, and of very many only these; a name is
 * null where nobody knows it any more. `state` null: each name has it alone, or metering does not answer.
 * `nearest`: of one that each name has alone, how the name stands that spent the most; null: none spent
 * anything, it is no such budget, or metering does not answer.
 */
export const listedBudget = budget.extend({
  accountName: z.string().nullable(),
  keys: z.array(z.object({ id: z.string(), name: z.string().nullable() })),
  state: budgetState.nullable(),
  nearest: budgetName.nullable(),
});
type ListedBudget = z.infer<typeof listedBudget>;
export const budgetPage = pageOf(listedBudget);

/** So many are asked for at a time: each takes one of metering's connections, which requests need, too. */
export const askedAtOnce = 4;
/** As many names as accounts tells at once. */
const mostNames = 500;

/** One page of budgets, all or those of an account, with how each stands. */
export async function readBudgetPage(
  services: DashboardServices,
  request: { accountId?: string | undefined; limit: number; after?: string | undefined },
): Promise<z.infer<typeof budgetPage>> {
  const { budgets, next } = await services.ask(budgetOperations.list, request);
  return { data: await withStandings(services, budgets), next };
}

/**
 * At most 500 budgets with their names and how they stand; without what does not answer. Of each the last of
 * its keys, as many as have names if all budgets had so many.
 */
export async function withStandings(services: DashboardServices, budgets: readonly Budget[]): Promise<ListedBudget[]> {
  if (budgets.length === 0) return [];
  const unique = (ids: string[]) => [...new Set(ids)].slice(0, mostNames);
  const shown = Math.floor(mostNames / budgets.length);
  const keysOf = ({ keyIds }: Budget) => keyIds.slice(-shown);
  const [names, told, nearest] = await Promise.all([
    services.askIfThere(administrationOperations.names, {
      keyIds: unique(budgets.flatMap(keysOf)),
      accountIds: unique(budgets.map(({ accountId }) => accountId)),
    }),
    services.askIfThere(budgetLeaseOperations.states, { budgetIds: budgets.map(({ id }) => id) }),
    nearestNames(services, budgets),
  ]);
  return budgets.map((one) => ({
    ...one,
    accountName: names?.accounts[one.accountId] ?? null,
    keys: keysOf(one).map((id) => ({ id, name: names?.keys[id] ?? null })),
    state: told?.states[one.id] ?? null,
    nearest: nearest.get(one.id) ?? null,
  }));
}

/** Of those that each name has alone, by id, the name that spent the most. */
async function nearestNames(
  services: DashboardServices,
  budgets: readonly Budget[],
): Promise<Map<string, z.infer<typeof budgetName>>> {
  const divided = budgets.filter(({ each }) => each !== null);
  const read = async ({ id }: Budget) => {
    const told = await services.askIfThere(budgetLeaseOperations.names, { budgetId: id, limit: 1 });
    return (told?.names ?? []).map((name) => [id, name] as const);
  };
  return new Map((await someAtOnce(divided, askedAtOnce, read)).flat());
}
