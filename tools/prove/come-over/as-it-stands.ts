import { rowsOf } from '../cluster/sql';
import type { Estate } from './estate';

/**
 * The estate with what LiteLLM's tables hold of spending by now, by SQL: its callers went on to spend after
 * they were filled.
 */
export async function asItStands(estate: Estate, litellmUrl: string): Promise<Estate> {
  const spentOf = async (table: string, id: string): Promise<Map<string, bigint>> => {
    const rows = await rowsOf<{ id: string; spend: number }>(
      litellmUrl,
      `SELECT ${id} AS id, spend FROM "LiteLLM_${table}"`,
    );
    return new Map(rows.map((row) => [row.id, nano(row.spend)]));
  };
  const [teams, users] = [await spentOf('TeamTable', 'team_id'), await spentOf('UserTable', 'user_id')];
  const keys = new Map(
    (
      await rowsOf<{ token: string; spend: number; total: number; logged: number }>(
        litellmUrl,
        `SELECT token, spend, coalesce(total_spend, 0) AS total, coalesce((SELECT sum(log.spend)::float8
            FROM "LiteLLM_SpendLogs" AS log WHERE log.api_key = one.token), 0) AS logged
          FROM "LiteLLM_VerificationToken" AS one`,
      )
    ).map((row) => [row.token, { spent: nano(row.spend), total: nano(row.total), logged: nano(row.logged) }]),
  );
  return {
    ...estate,
    keys: estate.keys.map((key) => ({ ...key, ...keys.get(key.token) })),
    teams: estate.teams.map((team, index) => ({ ...team, spent: teams.get(`team-${index}`) ?? team.spent })),
    users: estate.users.map((user, index) => ({ ...user, spent: users.get(`user-${index}`) ?? user.spent })),
  };
}

function nano(usd: number): bigint {
  return BigInt(Math.round(usd * 1e9));
}
