import { budget, budgetLeaseOperations, budgetOperations, budgetState } from '@tollgate/contracts/metering';
import type { BudgetEach, BudgetWindow } from '@tollgate/contracts/metering';
import { z } from 'zod/mini';
import { create, get, patch, remove } from './client';
import type { ReportScope } from './reports';

const budgetName = budgetLeaseOperations.names.reply.shape.names.element;
export type BudgetName = z.infer<typeof budgetName>;

/**
 * `state` null: each name has it alone, or metering does not answer; `nearest` is the name that spent the
 * most of one that each has alone. Of several `keys` the one that came last stands last.
 */
const listedBudget = z.extend(budget, {
  accountName: z.nullable(z.string()),
  keys: z.array(z.object({ id: z.string(), name: z.nullable(z.string()) })),
  state: z.nullable(budgetState),
  nearest: z.nullable(budgetName),
});
export type ListedBudget = z.infer<typeof listedBudget>;

const nearBudget = z.extend(listedBudget, { hasRefused: z.boolean() });
export type NearBudget = z.infer<typeof nearBudget>;

/** `names` and `windows` null: metering does not answer. */
const openedBudget = z.object({
  budget: listedBudget,
  names: z.nullable(z.array(budgetName)),
  windows: z.nullable(budgetLeaseOperations.windows.reply.shape.windows),
  notices: budgetOperations.notices.reply.shape.notices,
  namesMailedAt: z.nullable(z.number()),
});
export type OpenedBudget = z.infer<typeof openedBudget>;

/**
 * `accountId` is its id or address; without `keyId` and `project` it is of all of the account's keys. It has
 * one of the limits.
 */
export interface NewBudget {
  accountId: string;
  keyId?: string;
  project?: string;
  name: string;
  limitUsd?: string;
  limitTokens?: number;
  window: BudgetWindow;
  timeZone: string;
  models: string[];
  each: BudgetEach | null;
  soft: boolean;
  fallbackModel: string | null;
}
export type BudgetChange = Partial<Pick<NewBudget, 'name' | 'limitUsd' | 'limitTokens' | 'soft' | 'fallbackModel'>>;

const paths: Record<ReportScope, string> = { own: '/api/budgets', fleet: '/api/admin/budgets' };
const one = (id: string) => `${paths.fleet}/${encodeURIComponent(id)}`;

export const fetchBudgets = (scope: ReportScope, query: { accountId?: string; after?: string } = {}) =>
  get(paths[scope], z.object({ data: z.array(listedBudget), next: z.nullable(z.string()) }), { limit: 100, ...query });
export const fetchBudget = (scope: ReportScope, id: string) =>
  get(`${paths[scope]}/${encodeURIComponent(id)}`, openedBudget);
/** Those of everybody that are nearly spent, or refused a request; `isMore`: there are others. */
export const fetchNearBudgets = () =>
  get(`${paths.fleet}/near`, z.object({ data: z.array(nearBudget), isMore: z.boolean() }));
export const createBudget = (body: NewBudget, once: string) => create(paths.fleet, body, z.object({ budget }), once);
export const changeBudget = (id: string, body: BudgetChange) => patch(one(id), body, z.object({ budget }));
export const removeBudget = (id: string) => remove(`${one(id)}/remove`);
