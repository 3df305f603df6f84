import { ControlError } from '@tollgate/contracts';
import type { OwnKey } from '@tollgate/contracts/accounts';
import type { AccountsQueries } from '../storage';

/** An own key as the database holds it. */
export type StoredOwnKey = Omit<OwnKey, 'setAt' | 'problem'> & { baseUrl: string; sealed: string; setAt: Date };

/** Whose an own key is. `project` null: the whole account's. */
interface OwnKeyOwner {
  accountId: string;
  project: string | null;
}

/** Each API key is read with all that its account brought, of which it takes those of its project. */
const mostOfProjects = 50;

/** The API keys whose requests may go with one of these owners', each once; one query, as all changes wait. */
export async function keysGoingWith({ apiKey }: AccountsQueries, ...owners: readonly OwnKeyOwner[]): Promise<string[]> {
  const OR = owners.map(({ accountId, project }) => ({ accountId, ...(project !== null && { project }) }));
  return (await apiKey.findMany({ where: { OR }, select: { id: true } })).map(({ id }) => id);
}

/** All that an account brought, for itself and for its projects. */
export async function ownKeysOf(
  { ownKey, projectOwnKey }: AccountsQueries,
  accountId: string,
): Promise<{ keys: StoredOwnKey[]; ofProjects: (StoredOwnKey & { project: string })[] }> {
  const where = { accountId };
  const keys = await ownKey.findMany({ where, orderBy: { provider: 'asc' } });
  const ofProjects = await projectOwnKey.findMany({ where, orderBy: [{ project: 'asc' }, { provider: 'asc' }] });
  return { keys, ofProjects };
}

/** One that the account has; null: it has none of the provider. */
export function findOwnKey(
  { ownKey, projectOwnKey }: AccountsQueries,
  { accountId, project }: OwnKeyOwner,
  provider: string,
): Promise<StoredOwnKey | null> {
  if (project === null) return ownKey.findFirst({ where: { accountId, provider } });
  return projectOwnKey.findFirst({ where: { accountId, project, provider } });
}

/**
 * Keeps one in the place of the one before, if any.
 * @throws ControlError `invalid` where the account brought too many for its projects.
 */
export async function keepOwnKey(
  queries: AccountsQueries,
  { accountId, project }: OwnKeyOwner,
  key: StoredOwnKey,
): Promise<void> {
  const replaced = await dropOwnKey(queries, { accountId, project }, key.provider);
  if (project === null) await queries.ownKey.create({ data: { ...key, accountId } });
  else {
    const { projectOwnKey } = queries;
    if (!replaced && (await projectOwnKey.count({ where: { accountId } })) >= mostOfProjects)
      throw new ControlError('invalid', `An account brings ${mostOfProjects} keys for its projects at the most.`);
    await projectOwnKey.create({ data: { ...key, accountId, project } });
  }
}

/** Writes what is chosen of one. */
export async function chooseOfOwnKey(
  { ownKey, projectOwnKey }: AccountsQueries,
  { accountId, project }: OwnKeyOwner,
  provider: string,
  chosen: Pick<StoredOwnKey, 'fallsBack'>,
): Promise<void> {
  if (project === null) await ownKey.updateMany({ where: { accountId, provider }, data: chosen });
  else await projectOwnKey.updateMany({ where: { accountId, project, provider }, data: chosen });
}

/** Tells whether there was one. */
export async function dropOwnKey(
  { ownKey, projectOwnKey }: AccountsQueries,
  { accountId, project }: OwnKeyOwner,
  provider: string,
): Promise<boolean> {
  const { count } =
    project === null
      ? await ownKey.deleteMany({ where: { accountId, provider } })
      : await projectOwnKey.deleteMany({ where: { accountId, project, provider } });
  return count > 0;
}

/** A place in the order in which keys are sealed again. `project` empty: the whole account's. */
interface SealedPlace {
  project: string;
  accountId: string;
  provider: string;
}

/**
 * At most `limit` behind a place that are sealed with another key than `sealing` names, those of whole
 * accounts first.
 */
export function formerOwnKeys(
  queries: AccountsQueries,
  { sealing, after, projects, limit }: { sealing: string; after: SealedPlace | null; projects: boolean; limit: number },
): Promise<(SealedPlace & { account: string; baseUrl: string; sealed: string })[]> {
  const { project, accountId, provider } = after ?? { project: '', accountId: lowestId, provider: '' };
  return queries.$queryRaw`
    SELECT brought.project, brought.account_id AS "accountId", brought.provider, brought.base_url AS "baseUrl",
      brought.sealed, account.email AS account
    FROM (
      SELECT '' AS project, account_id, provider, base_url, sealed FROM own_key
      UNION ALL
      SELECT project, account_id, provider, base_url, sealed FROM project_own_key WHERE ${projects}
    ) AS brought
    JOIN account ON account.id = brought.account_id
    WHERE NOT starts_with(brought.sealed, ${`${sealing}.`})
      AND (brought.project, brought.account_id, brought.provider) > (${project}, ${accountId}::uuid, ${provider})
    ORDER BY brought.project, brought.account_id, brought.provider
    LIMIT ${limit}`;
}

const lowestId = '00000000-0000-0000-0000-000000000000';

/**
 * Keeps each in the place of what was sealed before, where that is still there; tells which. In one
 * statement: every other change waits for it.
 */
export function keepSealedAgain(
  queries: AccountsQueries,
  keys: readonly (SealedPlace & { before: string; sealed: string })[],
): Promise<SealedPlace[]> {
  const all = <Name extends keyof (typeof keys)[number]>(name: Name) => keys.map((key) => key[name]);
  return queries.$queryRaw`
    WITH again AS (
      SELECT * FROM unnest(
        ${all('accountId')}::uuid[], ${all('project')}::text[], ${all('provider')}::text[], ${all('before')}::text[],
        ${all('sealed')}::text[]
      ) AS one (account_id, project, provider, before, sealed)
    ), of_accounts AS (
      UPDATE own_key SET sealed = again.sealed FROM again
      WHERE again.project = '' AND own_key.account_id = again.account_id AND own_key.provider = again.provider
        AND own_key.sealed = again.before
      RETURNING own_key.account_id, own_key.provider
    ), of_projects AS (
      UPDATE project_own_key AS kept SET sealed = again.sealed FROM again
      WHERE kept.account_id = again.account_id AND kept.project = again.project AND kept.provider = again.provider
        AND kept.sealed = again.before
      RETURNING kept.account_id, kept.project, kept.provider
    )
    SELECT account_id AS "accountId", '' AS project, provider FROM of_accounts
    UNION ALL
    SELECT account_id, project, provider FROM of_projects`;
}
