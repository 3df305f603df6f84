import { ControlError } from '@tollgate/contracts';
import type { AccountsQueries } from '../storage';

/** A total that counts for longer than the longest window is not summed anew: that might take too long. */
const longestMs = 31 * 86_400_000;

/** A key, as far as it matters here. */
interface ProjectKey {
  id: string;
  accountId: string;
  project: string | null;
}

/** The ids of the keys of a project, if any, also of those that are revoked: what they spent is spent. */
export async function findKeysOfProject(
  { apiKey }: AccountsQueries,
  accountId: string,
  project: string,
): Promise<string[]> {
  const keys = await apiKey.findMany({ where: { accountId, project }, select: { id: true }, orderBy: { id: 'asc' } });
  return keys.map(({ id }) => id);
}

/**
 * The same where a budget is to be made of them.
 * @throws ControlError `not_found` where there is none: a budget of a name that is misspelt limits nobody.
 */
export async function keysOfProject(queries: AccountsQueries, accountId: string, project: string): Promise<string[]> {
  const ids = await findKeysOfProject(queries, accountId, project);
  if (ids.length > 0) return ids;
  throw new ControlError('not_found', `The account has no key of the project ${JSON.stringify(project)} yet.`);
}

/** Brings a new key, which has spent nothing yet, under the budgets of its project. */
export async function addToProject(
  { budget }: AccountsQueries,
  keyId: string,
  { accountId, project }: Omit<ProjectKey, 'id'>,
): Promise<void> {
  if (project === null) return;
  await budget.updateMany({ where: { accountId, project }, data: { keyIds: { push: keyId } } });
}

/**
 * Takes a key from the budgets of the project that it was of, and brings it under those of another (null:
 * none). What it spent in their windows comes along: their sums are made anew by metering.
 * @throws ControlError `conflict` where it is the last one that a budget holds for, or where one is a total
 * that began too long ago to be summed anew.
 */
export async function changeProject(
  queries: AccountsQueries,
  { id, accountId, project: before }: ProjectKey,
  after: string | null,
): Promise<void> {
  if (before === after) return;
  const budgets = await queries.budget.findMany({ where: { accountId, project: { not: null } } });
  const left = budgets.filter(({ project }) => project === before);
  const joined = budgets.filter(({ project }) => project === after);
  for (const { window, name, createdAt } of [...left, ...joined])
    if (window === 'total' && createdAt.getTime() < Date.now() - longestMs)
      throw new ControlError('conflict', oldTotal(name, createdAt));
  for (const { id: budgetId, name, keyIds } of left) {
    const rest = keyIds.filter((keyId) => keyId !== id);
    if (rest.length === 0) throw new ControlError('conflict', lastKey(before, name));
    await queries.budget.update({ where: { id: budgetId }, data: { keyIds: rest } });
  }
  await addToProject(queries, id, { accountId, project: after });
  const ids = [...left, ...joined].map((one) => one.id);
  if (ids.length > 0) await queries.$queryRaw`SELECT forget_budget_sums(${ids}::uuid[])::text`;
}

function oldTotal(budget: string, since: Date): string {
  const day = since.toISOString().slice(0, 10);
  return `The budget ${JSON.stringify(budget)} counts since ${day}, which is too long to be summed anew. Make a new key of the project, or remove that budget first.`;
}

function lastKey(project: string | null, budget: string): string {
  return `It is the last key of the project ${JSON.stringify(project)}, of which the budget ${JSON.stringify(budget)} is. Remove that first.`;
}
