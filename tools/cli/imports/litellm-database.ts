import type { ClientBase } from 'pg';
import { z } from 'zod';
import { readOtherTables, type OtherTables } from './litellm-other-tables';

const text = z.string();
const maybe = text.nullish().transform((value) => value ?? null);
const names = z
  .array(text)
  .nullish()
  .transform((value) => value ?? []);
const amount = z
  .number()
  .nullish()
  .transform((value) => value ?? null);
const spend = z
  .number()
  .nullish()
  .transform((value) => value ?? 0);
const flag = z
  .boolean()
  .nullish()
  .transform((value) => value === true);
/** Prisma keeps times without a zone, in UTC: epoch milliseconds; null: none. */
const time = text.nullish().transform((value) => (value ? Date.parse(/[Z+]/.test(value) ? value : `${value}Z`) : null));
const limits = {
  max_budget: amount,
  budget_duration: maybe,
  budget_reset_at: time,
  tpm_limit: amount,
  rpm_limit: amount,
};
const more = { max_parallel_requests: amount, models: names, access_group_ids: names };

/**
 * The tables of LiteLLM that are read, by what is read of each. A column that a release lacks is as good as
 * empty.
 * https://github.com/BerriAI/litellm/blob/main/schema.prisma
 */
const tables = {
  keys: {
    table: 'LiteLLM_VerificationToken',
    row: z.looseObject({
      ...{ token: text, key_name: maybe, key_alias: maybe, user_id: maybe, team_id: maybe, project_id: maybe },
      ...{ spend, total_spend: spend, expires: time, blocked: flag, budget_id: maybe, ...limits, ...more },
      metadata: z.unknown(),
    }),
  },
  /** Keys that were rotated there and work for a while beside their successors. */
  former: {
    table: 'LiteLLM_DeprecatedVerificationToken',
    row: z.looseObject({ token: text, active_token_id: text, revoke_at: time }),
  },
  teams: {
    table: 'LiteLLM_TeamTable',
    row: z.looseObject({
      ...{ team_id: text, team_alias: maybe, organization_id: maybe, spend, blocked: flag, ...limits, ...more },
    }),
  },
  users: {
    table: 'LiteLLM_UserTable',
    row: z.looseObject({
      ...{ user_id: text, user_alias: maybe, user_email: maybe, user_role: maybe, spend, ...limits, ...more },
    }),
  },
  budgets: {
    table: 'LiteLLM_BudgetTable',
    row: z.looseObject({ budget_id: text, soft_budget: amount, max_parallel_requests: amount, ...limits }),
  },
  projects: {
    table: 'LiteLLM_ProjectTable',
    row: z.looseObject({
      ...{ project_id: text, project_alias: maybe, budget_id: maybe, spend, models: names, blocked: flag },
    }),
  },
  members: {
    table: 'LiteLLM_TeamMembership',
    row: z.looseObject({ user_id: text, team_id: text, spend, budget_id: maybe }),
  },
  organizations: {
    table: 'LiteLLM_OrganizationTable',
    row: z.looseObject({ organization_id: text, budget_id: maybe }),
  },
  endUsers: {
    table: 'LiteLLM_EndUserTable',
    row: z.looseObject({ user_id: text, budget_id: maybe, blocked: flag, spend }),
  },
  tags: { table: 'LiteLLM_TagTable', row: z.looseObject({ tag_name: text, budget_id: maybe, spend }) },
  models: { table: 'LiteLLM_ProxyModelTable', row: z.looseObject({ model_name: text }) },
  /** Not those of `model_info`, which are in the configuration. */
  accessGroups: {
    table: 'LiteLLM_AccessGroupTable',
    row: z.looseObject({ access_group_id: text, access_model_names: names }),
  },
} as const;

const namesOfTables: ReadonlySet<string> = new Set([
  ...Object.values(tables).map(({ table }) => table),
  'LiteLLM_SpendLogs',
]);

type Tables = typeof tables;
/** LiteLLM's database, table by table, and what its log of spending adds up to for each key. */
export type LitellmDatabase = {
  [Name in keyof Tables]: z.output<Tables[Name]['row']>[];
} & { logged: ReadonlyMap<string, number>; others: OtherTables };

/**
 * Reads LiteLLM's database at one moment. Nothing is written to it.
 * @throws what Postgres says, ZodError for rows that are not LiteLLM's.
 */
export async function readLitellmDatabase(client: ClientBase): Promise<LitellmDatabase> {
  await client.query('BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY');
  const read = async <Row extends z.ZodType>({ table, row }: { table: string; row: Row }): Promise<z.output<Row>[]> =>
    (await exists(client, table)) ? rowsOf(client, table, row) : [];
  const found = {
    keys: await read(tables.keys),
    former: await read(tables.former),
    teams: await read(tables.teams),
    users: await read(tables.users),
    budgets: await read(tables.budgets),
    projects: await read(tables.projects),
    members: await read(tables.members),
    organizations: await read(tables.organizations),
    endUsers: await read(tables.endUsers),
    tags: await read(tables.tags),
    models: await read(tables.models),
    accessGroups: await read(tables.accessGroups),
    logged: await loggedSpend(client),
    others: await readOtherTables(client, namesOfTables),
  };
  await client.query('COMMIT');
  return found;
}

async function exists(client: ClientBase, table: string): Promise<boolean> {
  const { rows } = await client.query<{ found: boolean }>('SELECT to_regclass($1) IS NOT NULL AS found', [
    `"${table}"`,
  ]);
  return rows[0]?.found === true;
}

/**
 * As JSON: whole numbers, amounts and times then come in one form, whatever the driver makes of them. `table`
 * is one of those above.
 */
async function rowsOf<Row extends z.ZodType>(client: ClientBase, table: string, row: Row): Promise<z.output<Row>[]> {
  const { rows } = await client.query<{ row: unknown }>(
    `SELECT to_jsonb(one) AS row FROM "${table}" AS one ORDER BY 1`,
  );
  return rows.map((one) => row.parse(one.row));
}

async function loggedSpend(client: ClientBase): Promise<Map<string, number>> {
  if (!(await exists(client, 'LiteLLM_SpendLogs'))) return new Map();
  const { rows } = await client.query<{ token: string; spent: number }>(
    'SELECT api_key AS token, sum(spend)::float8 AS spent FROM "LiteLLM_SpendLogs" GROUP BY api_key',
  );
  return new Map(rows.map(({ token, spent }) => [token, spent]));
}
