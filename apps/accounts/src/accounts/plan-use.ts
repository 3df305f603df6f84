import type { AccountsQueries } from '../storage';

/** How many accounts have a plan, and how many keys that are not revoked: their own, else their account's. */
interface PlanUse {
  keys: number;
  accounts: number;
}

interface UseRow extends PlanUse {
  plan: string;
}

/** The use of plans by their names; a plan that nothing has is left out. */
export async function planUse(queries: Pick<AccountsQueries, '$queryRaw'>): Promise<Map<string, PlanUse>> {
  const rows = await queries.$queryRaw<UseRow[]>`
    SELECT plan, sum(keys)::int AS keys, sum(accounts)::int AS accounts FROM (
      SELECT plan, 0 AS keys, count(*) AS accounts FROM account GROUP BY plan
      UNION ALL
      SELECT coalesce(api_key.plan, account.plan), count(*), 0
      FROM api_key JOIN account ON account.id = api_key.account_id
      WHERE api_key.status = 'active' GROUP BY 1
    ) AS used GROUP BY plan`;
  return new Map(rows.map(({ plan, ...use }) => [plan, use]));
}
