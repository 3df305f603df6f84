import type { ReportScope } from '../api/reports';

/** The list of budgets. */
export const budgetsPath = (scope: ReportScope): string => (scope === 'own' ? '/budgets' : '/admin/budgets');

/** The page of a budget. */
export const budgetPath = (scope: ReportScope, id: string): string => `${budgetsPath(scope)}/${encodeURIComponent(id)}`;
