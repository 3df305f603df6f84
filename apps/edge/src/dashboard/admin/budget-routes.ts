import { GatewayError } from '@tollgate/contracts';
import { budget, type Budget, budgetOperations, changedExceeding, newBudget } from '@tollgate/contracts/metering';
import { someAtOnce } from '@tollgate/service';
import { z } from 'zod';
import {
  askedAtOnce,
  budgetPage,
  listedBudget,
  readBudgetPage,
  withStandings,
  mostNear,
} from '../account/listed-budget';
import { openedBudget, readBudget } from '../account/opened-budget';
import type { DashboardServices } from '../dashboard-services';
import { nothing, page, param, route } from '../route';

/** `isMore`: there are others. */
export const nearBudgets = z.object({
  data: z.array(listedBudget.extend({ hasRefused: z.boolean() })),
  isMore: z.boolean(),
});

const told = z.object({ budget });
const { name, limitUsd, limitTokens } = newBudget.shape;

/** Budgets in US dollars or in tokens, of accounts and of keys. */
export const adminBudgetRoutes = [
  route({
    method: 'GET',
    path: '/api/admin/budgets',
    access: 'administrator',
    summary:
      'All budgets, or those of one account, newest first, and how each stands; amounts are in its unit, nano-dollars or tokens',
    query: z.strictObject({ accountId: z.string().min(1).max(200).optional(), ...page(500, 50) }),
    answer: budgetPage,
    handle: ({ query }, services) => readBudgetPage(services, query),
  }),
  route({
    method: 'GET',
    path: '/api/admin/budgets/near',
    access: 'administrator',
    summary: 'Budgets of which 80 % are spent, or that refused a request, in the window at hand',
    answer: nearBudgets,
    handle: (_asked, services) => readNearBudgets(services),
  }),
  route({
    method: 'GET',
    path: '/api/admin/budgets/:id',
    access: 'administrator',
    summary: 'A budget: how it stands, what was spent in its last windows, and who was told',
    answer: openedBudget,
    handle: (asked, services) => readBudget(services, param(asked, 'id')),
  }),
  route({
    method: 'POST',
    path: '/api/admin/budgets',
    access: 'administrator',
    isDoneOnce: true,
    summary: 'Set how much an account, or one of its keys, may spend; edges keep to it within a second',
    body: z.strictObject({ ...newBudget.shape, name }),
    answer: told,
    status: 201,
    handle: ({ body, signedIn: { person }, once }) => once(budgetOperations.create, { ...body, actor: person.email }),
  }),
  route({
    method: 'PATCH',
    path: '/api/admin/budgets/:id',
    access: 'administrator',
    summary: 'Change name or limit of a budget, or what happens at it; what is spent stays',
    body: z.strictObject({ name: name.optional(), limitUsd, limitTokens, ...changedExceeding }),
    answer: told,
    handle: (asked, services) => {
      const request = { ...asked.body, budgetId: param(asked, 'id'), actor: asked.signedIn.person.email };
      return services.ask(budgetOperations.update, request);
    },
  }),
  route({
    method: 'POST',
    path: '/api/admin/budgets/:id/remove',
    access: 'administrator',
    summary: 'Remove a budget; what it held back is free within a second',
    body: nothing,
    answer: z.object({}),
    handle: (asked, services) => {
      const request = { budgetId: param(asked, 'id'), actor: asked.signedIn.person.email };
      return services.ask(budgetOperations.remove, request);
    },
  }),
];

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
