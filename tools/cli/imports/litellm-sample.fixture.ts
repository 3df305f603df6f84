import type { ClientBase } from 'pg';
import { createHash } from 'node:crypto';

/**
 * The tables of LiteLLM's current release that an import reads, with all columns that it may say something
 * of. The facts are those of its schema:
 * https://github.com/BerriAI/litellm/blob/main/schema.prisma (1.106)
 */
export const litellmTables = `
  CREATE TABLE "LiteLLM_BudgetTable" (budget_id TEXT PRIMARY KEY, max_budget DOUBLE PRECISION, soft_budget DOUBLE PRECISION, max_parallel_requests INTEGER,
    tpm_limit BIGINT, rpm_limit BIGINT, model_max_budget JSONB, budget_duration TEXT, budget_reset_at TIMESTAMP(3), created_at TIMESTAMP(3) DEFAULT now(),
    created_by TEXT NOT NULL, updated_at TIMESTAMP(3) DEFAULT now(), updated_by TEXT NOT NULL);
  CREATE TABLE "LiteLLM_TeamTable" (team_id TEXT PRIMARY KEY, team_alias TEXT, organization_id TEXT, members_with_roles JSONB NOT NULL DEFAULT '{}',
    metadata JSONB NOT NULL DEFAULT '{}', max_budget DOUBLE PRECISION, soft_budget DOUBLE PRECISION, spend DOUBLE PRECISION NOT NULL DEFAULT 0, models TEXT[],
    max_parallel_requests INTEGER, tpm_limit BIGINT, rpm_limit BIGINT, budget_duration TEXT, budget_reset_at TIMESTAMP(3), blocked BOOLEAN NOT NULL DEFAULT false,
    access_group_ids TEXT[] DEFAULT '{}');
  CREATE TABLE "LiteLLM_UserTable" (user_id TEXT PRIMARY KEY, user_alias TEXT, user_email TEXT, user_role TEXT, max_budget DOUBLE PRECISION,
    spend DOUBLE PRECISION NOT NULL DEFAULT 0, models TEXT[], tpm_limit BIGINT, rpm_limit BIGINT, budget_duration TEXT, budget_reset_at TIMESTAMP(3));
  CREATE TABLE "LiteLLM_VerificationToken" (token TEXT PRIMARY KEY, key_name TEXT, key_alias TEXT, spend DOUBLE PRECISION NOT NULL DEFAULT 0,
    total_spend DOUBLE PRECISION NOT NULL DEFAULT 0, expires TIMESTAMP(3), models TEXT[], aliases JSONB NOT NULL DEFAULT '{}', config JSONB NOT NULL DEFAULT '{}',
    user_id TEXT, team_id TEXT, project_id TEXT, permissions JSONB NOT NULL DEFAULT '{}', max_parallel_requests INTEGER, metadata JSONB NOT NULL DEFAULT '{}',
    blocked BOOLEAN, tpm_limit BIGINT, rpm_limit BIGINT, max_budget DOUBLE PRECISION, budget_duration TEXT, budget_reset_at TIMESTAMP(3), budget_id TEXT,
    access_group_ids TEXT[] DEFAULT '{}');
  CREATE TABLE "LiteLLM_SpendLogs" (request_id TEXT PRIMARY KEY, api_key TEXT NOT NULL DEFAULT '', spend DOUBLE PRECISION NOT NULL DEFAULT 0,
    "startTime" TIMESTAMP(3) NOT NULL, "endTime" TIMESTAMP(3) NOT NULL);
  CREATE TABLE "LiteLLM_ProjectTable" (project_id TEXT PRIMARY KEY, project_alias TEXT, description TEXT, team_id TEXT, budget_id TEXT,
    metadata JSONB NOT NULL DEFAULT '{}', models TEXT[], spend DOUBLE PRECISION NOT NULL DEFAULT 0, blocked BOOLEAN NOT NULL DEFAULT false);
  CREATE TABLE "LiteLLM_EndUserTable" (user_id TEXT PRIMARY KEY, spend DOUBLE PRECISION NOT NULL DEFAULT 0, budget_id TEXT, blocked BOOLEAN NOT NULL DEFAULT false);
  CREATE TABLE "LiteLLM_TeamMembership" (user_id TEXT, team_id TEXT, spend DOUBLE PRECISION NOT NULL DEFAULT 0, budget_id TEXT, PRIMARY KEY (user_id, team_id));
  CREATE TABLE "LiteLLM_AccessGroupTable" (access_group_id TEXT PRIMARY KEY, access_group_name TEXT NOT NULL, access_model_names TEXT[] DEFAULT '{}');
  CREATE TABLE "LiteLLM_Config" (param_name TEXT PRIMARY KEY, param_value JSONB);
  CREATE TABLE "LiteLLM_MCPServerTable" (server_id TEXT PRIMARY KEY);
  CREATE TABLE "LiteLLM_AuditLog" (id TEXT PRIMARY KEY);
`;

/** A caller of the generated database: the key that it holds, and what it may do there. */
export interface SampleCaller {
  apiKey: string;
  /** Null: of a user. */
  team: number | null;
  models: string[];
  rpm: number | null;
  tpm: number | null;
  budgetUsd: number | null;
  spentUsd: number;
  blocked: boolean;
}

const perTeam = 20;
const insertKeys = `INSERT INTO "LiteLLM_VerificationToken"
  (token, key_name, key_alias, spend, models, user_id, team_id, blocked, rpm_limit, tpm_limit, max_budget, budget_duration, budget_reset_at, metadata)
  SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::float8[]) AS one (token, key_name, key_alias, spend)
    JOIN LATERAL (SELECT string_to_array(m, ',') AS models, u, t, b, r, tp, mb, d, ra::timestamp, md::jsonb
      FROM unnest($1::text[], $5::text[], $6::text[], $7::text[], $8::bool[], $9::bigint[], $10::bigint[], $11::float8[], $12::text[], $13::text[], $14::text[])
        AS rest (token, m, u, t, b, r, tp, mb, d, ra, md) WHERE rest.token = one.token) AS other ON true`;

/** The key that a caller of this number holds, as LiteLLM makes them. */
function sampleKey(index: number): string {
  return `sk-${createHash('sha256').update(`caller ${index}`).digest('base64url').slice(0, 22)}`;
}

/**
 * Fills LiteLLM's tables with so many callers: three of four in teams of twenty, the others of users;
 * budgets, limits, lists of models, spending and blocked keys among them. `models` are those that keys may
 * name. Returns the callers.
 */
export async function fillLitellm(
  client: ClientBase,
  size: number,
  models: readonly string[],
): Promise<SampleCaller[]> {
  const callers = Array.from({ length: size }, (_, index) => callerOf(index, models));
  const teams = Math.ceil(size / perTeam);
  const spentBy = (team: number): number =>
    callers.filter((one) => one.team === team).reduce((sum, { spentUsd }) => sum + spentUsd, 0);
  for (let team = 0; team < teams; team++)
    await client.query(
      `INSERT INTO "LiteLLM_TeamTable" (team_id, team_alias, max_budget, budget_duration, budget_reset_at, spend, models, members_with_roles)
       VALUES ($1, $2, 500, '30d', now() + interval '9 days', $3, '{}', '[]')`,
      [`team-${team}`, `Team ${team}`, spentBy(team)],
    );
  await client.query(
    `INSERT INTO "LiteLLM_UserTable" (user_id, user_alias, user_email, user_role, models)
     SELECT 'user-' || n, 'User ' || n, 'User-' || n || '@Example.org', CASE n WHEN 0 THEN 'proxy_admin' ELSE 'internal_user' END, '{}'
     FROM generate_series(0, $1::int - 1) AS n`,
    [teams],
  );
  const column = <Value>(read: (caller: SampleCaller, index: number) => Value): Value[] => callers.map(read);
  await client.query(insertKeys, [
    column(({ apiKey }) => createHash('sha256').update(apiKey).digest('hex')),
    column(({ apiKey }) => `sk-...${apiKey.slice(-4)}`),
    column((_, index) => `caller ${index}`),
    column(({ spentUsd }) => spentUsd),
    column(({ models: own }) => own.join(',')),
    column((_, index) => `user-${Math.floor(index / perTeam)}`),
    column(({ team }) => (team === null ? null : `team-${team}`)),
    column(({ blocked }) => blocked),
    column(({ rpm }) => rpm),
    column(({ tpm }) => tpm),
    column(({ budgetUsd }) => budgetUsd),
    column(({ budgetUsd }) => (budgetUsd === null ? null : '1d')),
    column(({ budgetUsd }) =>
      budgetUsd === null ? null : new Date(Date.now() + 3_600_000).toISOString().slice(0, -1),
    ),
    column((_, index) => (index % 10 === 0 ? '{"tags":["a"]}' : '{}')),
  ]);
  return callers;
}

function callerOf(index: number, models: readonly string[]): SampleCaller {
  return {
    apiKey: sampleKey(index),
    team: index % 4 === 3 ? null : Math.floor(index / perTeam),
    models: index % 3 === 0 ? [models[index % models.length] ?? ''] : [],
    rpm: index % 5 === 0 ? 1_000 + (index % 7) : null,
    tpm: index % 7 === 0 ? 100_000 + index : null,
    budgetUsd: index % 2 === 0 ? 10 + (index % 9) : null,
    spentUsd: (index % 1_000) * 0.001_234_5,
    blocked: index % 50 === 49,
  };
}
