import { ControlError } from '@tollgate/contracts';
import { mostProjectKeys } from '@tollgate/contracts/accounts';
import type { Projects } from '@tollgate/contracts/accounts';
import type { Request } from '../operations';
import type { AccountsQueries } from '../storage';
import { goesOnAt } from '../keys/key-rows';

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
 * Every project of an account, by name, with the ids of its keys that had not ended by then.
 * @throws ControlError `invalid` where they have no room in a message.
 */
export async function projectsOf(
  { apiKey }: AccountsQueries,
  { accountId, since }: Request<'projects'>,
): Promise<Projects> {
  const keys = await apiKey.findMany({
    where: { accountId, project: { not: null }, OR: goesOnAt(new Date(since)) },
    select: { id: true, project: true },
    orderBy: [{ project: 'asc' }, { id: 'asc' }],
    take: mostProjectKeys + 1,
  });
  const byName = new Map<string, string[]>();
  for (const { id, project } of keys) {
    if (project === null) continue;
    const keyIds = byName.get(project) ?? [];
    byName.set(project, keyIds);
    keyIds.push(id);
  }
  const projects = [...byName].map(([name, keyIds]) => ({ name, keyIds }));
  if (keys.length > mostProjectKeys || Buffer.byteLength(JSON.stringify(projects)) > mostProjectBytes)
    throw new ControlError('invalid', `${tooManyKeys} Choose a shorter window, or download the usage of each key.`);
  return projects;
}

/** With what else a message of NATS holds, of which a server takes 1 MiB. */
const mostProjectBytes = 900_000;
const tooManyKeys = 'Too many keys are of projects to add up what each has used.';

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

/** A key, and the ids of the budgets that it came under and of those that it left. */
interface KeyMove {
  keyId: string;
  joined: string[];
  left: string[];
}

/**
 * Takes a key from the budgets of other projects than this one (null: none), and brings it under those of
 * this. What it spent comes along when `moveSums` is called.
 * @throws ControlError `conflict` where it is the last one that a budget holds for.
 */
export async function changeProject(
  { budget }: AccountsQueries,
  { id, accountId, project: before }: ProjectKey,
  after: string | null,
): Promise<KeyMove> {
  if (before === after) return { keyId: id, joined: [], left: [] };
  const isEither = [{ project: after }, { keyIds: { has: id } }];
  const budgets = await budget.findMany({ where: { accountId, project: { not: null }, OR: isEither } });
  const left = budgets.filter(({ project, keyIds }) => project !== after && keyIds.includes(id));
  for (const { id: budgetId, project, name, keyIds } of left) {
    const rest = keyIds.filter((keyId) => keyId !== id);
    if (rest.length === 0) throw new ControlError('conflict', lastKey(project, name));
    await budget.update({ where: { id: budgetId }, data: { keyIds: rest } });
  }
  const joined = idsOf(budgets.filter(({ project, keyIds }) => project === after && !keyIds.includes(id)));
  await budget.updateMany({ where: { id: { in: joined } }, data: { keyIds: { push: id } } });
  return { keyId: id, joined, left: idsOf(left) };
}

/**
 * Moves what a key spent in the windows at hand from the sums of budgets that it left to those that it came
 * under. Nobody stores usage from then until the transaction is over, so call it last.
 */
export async function moveSums(queries: AccountsQueries, { keyId, joined, left }: KeyMove): Promise<void> {
  if (joined.length + left.length === 0) return;
  await queries.$queryRaw`SELECT move_budget_sums(${keyId}, ${joined}::uuid[], ${left}::uuid[])::text`;
}

const idsOf = (budgets: readonly { id: string }[]): string[] => budgets.map(({ id }) => id);

function lastKey(project: string | null, budget: string): string {
  return `It is the last key of the project ${JSON.stringify(project)}, of which the budget ${JSON.stringify(budget)} is. Remove that first.`;
}
