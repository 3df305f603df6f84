import type { ReportScope } from '../api/reports';

/** The address of a model's page. */
export const modelPath = (id: string): string => `/models/${id.split('/').map(encodeURIComponent).join('/')}`;

/** The list of budgets. */
export const budgetsPath = (scope: ReportScope): string => (scope === 'own' ? '/budgets' : '/admin/budgets');

/** The page of a budget. */
export const budgetPath = (scope: ReportScope, id: string): string => `${budgetsPath(scope)}/${encodeURIComponent(id)}`;

/** The page of a project. `accountId`: whose, for administrators; null: of one's own account. */
export function projectPath(accountId: string | null, project: string): string {
  const path = `/projects/${encodeURIComponent(project)}`;
  return accountId === null ? path : `/admin/accounts/${encodeURIComponent(accountId)}${path}`;
}

/** The page of the account's statement, with that of the project chosen. */
export function projectStatementPath(accountId: string | null, project: string): string {
  const path = accountId === null ? '/statement' : `/admin/accounts/${encodeURIComponent(accountId)}/statement`;
  return `${path}?project=${encodeURIComponent(project)}`;
}
