import { ControlError } from '@tollgate/contracts';
import { findAccount } from '../accounts/account-rows';
import type { Reply, Request } from '../operations';
import type { AccountsQueries } from '../storage';
import type { Change } from './changes';

/**
 * Calls a project something else. Nothing that was counted is of a name, so that sums stay. Its own name
 * changes nothing, nor does what was asked before, by whoever did not hear the answer.
 * @throws ControlError `not_found` (no such account, nothing of this project), `conflict` (something is of
 * the other project already: what is one and what the other could never be told apart again).
 */
export async function renameProject(
  change: Change,
  { account, project, name, actor }: Request<'renameProject'>,
): Promise<Reply<'renameProject'>> {
  const { transaction } = change;
  const { id: accountId } = await findAccount(transaction, account);
  const counts = await thingsOf(transaction, accountId, project);
  if (isNothing(counts)) {
    const renamed = await thingsOf(transaction, accountId, name);
    if (!isNothing(renamed) && (await wasRenamed(transaction, accountId, { project, name })))
      return { project: name, ...renamed };
    throw new ControlError('not_found', `The account has no project ${JSON.stringify(project)}.`);
  }
  if (name === project) return { project, ...counts };
  if (!isNothing(await thingsOf(transaction, accountId, name))) throw new ControlError('conflict', taken(name));
  const [where, data] = [{ accountId, project }, { project: name }];
  const keys = await transaction.apiKey.findMany({ where, select: { id: true } });
  await transaction.apiKey.updateMany({ where, data });
  await transaction.budget.updateMany({ where, data });
  await transaction.projectOwnKey.updateMany({ where, data });
  await change.touchKeys(keys.map(({ id }) => id));
  const detail = { project: name, projectBefore: project, ...counts };
  await change.audit({ actor, action: 'project-renamed', accountId, detail });
  return { project: name, ...counts };
}

/**
 * Whether this is what became of a project, by the audit log. What has the other name may be something else
 * once it got another one, too.
 */
async function wasRenamed(
  { accountAudit }: AccountsQueries,
  accountId: string,
  { project, name }: Pick<Request<'renameProject'>, 'project' | 'name'>,
): Promise<boolean> {
  const since = [project, name].map((before) => ({ detail: { path: ['projectBefore'], equals: before } }));
  const where = { accountId, action: 'project-renamed', OR: since };
  const newest = await accountAudit.findFirst({ where, orderBy: { id: 'desc' }, select: { detail: true } });
  const told = newest?.detail as { project?: unknown; projectBefore?: unknown } | undefined;
  return told?.projectBefore === project && told.project === name;
}

type Counts = Omit<Reply<'renameProject'>, 'project'>;

/** How many keys, budgets and keys of providers are of a project. */
async function thingsOf(
  { apiKey, budget, projectOwnKey }: AccountsQueries,
  accountId: string,
  project: string,
): Promise<Counts> {
  const where = { accountId, project };
  const [keys, budgets] = [await apiKey.count({ where }), await budget.count({ where })];
  return { keys, budgets, ownKeys: await projectOwnKey.count({ where }) };
}

function isNothing({ keys, budgets, ownKeys }: Counts): boolean {
  return keys + budgets + ownKeys === 0;
}

function taken(name: string): string {
  return `The account has a project ${JSON.stringify(name)} already, to which revoked keys belong, too: choose another name, or give each key the other project.`;
}
