import type { Projects } from '@tollgate/contracts/accounts';
import type { Client } from 'pg';

/** The projects of an account, by its number, with their keys. */
export type ProjectsOf = (account: number) => Projects;

/** Keys of one project. */
const keysOfProject = 8;

/** Every key of the past is of a project of its account. */
export async function readProjects(database: Client): Promise<ProjectsOf> {
  const { rows } = await database.query<{ account: number; keys: string[] }>(
    `SELECT right(account_id, 12)::int AS account, array_agg(DISTINCT key_id) AS keys FROM usage_hour WHERE key_id <> '*' GROUP BY 1`,
  );
  const keysOf = new Map(rows.map(({ account, keys }) => [account, keys]));
  return (account) => {
    const keys = keysOf.get(account) ?? [];
    return Array.from({ length: Math.ceil(keys.length / keysOfProject) }, (_, number) => ({
      name: `project-${number}`,
      keyIds: keys.slice(number * keysOfProject, (number + 1) * keysOfProject),
    }));
  };
}
