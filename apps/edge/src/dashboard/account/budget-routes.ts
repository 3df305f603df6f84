import { z } from 'zod';
import { page, param, route } from '../route';
import { budgetPage, readBudgetPage } from './listed-budget';
import { openedBudget, readBudget } from './opened-budget';

/** The budgets of the account of who is signed in; administrators of the gateway set them. */
export const budgetRoutes = [
  route({
    method: 'GET',
    path: '/api/budgets',
    access: 'usage',
    summary:
      'The budgets of your account, newest first, and how each stands; amounts are in its unit, nano-dollars or tokens',
    query: z.strictObject(page(500, 100)),
    answer: budgetPage,
    handle: ({ query, signedIn: { account } }, services) =>
      readBudgetPage(services, { ...query, accountId: account.id }),
  }),
  route({
    method: 'GET',
    path: '/api/budgets/:id',
    access: 'usage',
    summary: 'A budget of your account: how it stands, what was spent in its last windows, and who was told',
    answer: openedBudget,
    handle: (asked, services) => readBudget(services, param(asked, 'id'), asked.signedIn.account.id),
  }),
];
