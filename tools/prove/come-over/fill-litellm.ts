import { randomBytes } from 'node:crypto';
import type { ClientBase } from 'pg';
import type { Estate, PlannedKey } from './estate';
import { teamBudget } from './estate';

/** LiteLLM's sums are floating-point numbers, to which each request adds its costs. */
function spentAsThere(nano: bigint): number {
  const step = Number(nano / 7n) / 1e9;
  let sum = Number(nano - (nano / 7n) * 7n) / 1e9;
  for (let times = 0; times < 7; times++) sum += step;
  return sum;
}

/** Prisma keeps times without a zone, in UTC. */
function inDays(days: number): string {
  return new Date(Date.now() + days * 86_400_000).toISOString().slice(0, -1);
}

/** Rows of one table by their columns; a value that is no text, number, boolean or null goes as JSON. */
async function insert(client: ClientBase, table: string, rows: readonly object[]): Promise<void> {
  await client.query(
    `INSERT INTO "${table}" (${columnsOf(rows)}) SELECT ${columnsOf(rows)}
    FROM jsonb_populate_recordset(NULL::"${table}", $1::jsonb)`,
    [JSON.stringify(rows)],
  );
}

function columnsOf([first = {}]: readonly object[]): string {
  return Object.keys(first)
    .map((name) => `"${name}"`)
    .join(', ');
}

/**
 * Writes the estate into LiteLLM's tables as LiteLLM does, with models in its database that are sealed.
 * `all`: also what LiteLLM would make itself.
 */
export async function fillLitellm(
  client: ClientBase,
  { keys, former, teams, users, budgets }: Estate,
  all: boolean,
): Promise<void> {
  const rows = <Planned extends { byApi: boolean }>(
    planned: readonly Planned[],
    rowOf: (one: Planned, index: number) => object,
  ): object[] => planned.flatMap((one, index) => (all || !one.byApi ? [rowOf(one, index)] : []));
  const by = { created_by: 'default_user_id', updated_by: 'default_user_id' };
  await insert(
    client,
    'LiteLLM_BudgetTable',
    rows(budgets, ({ limit, duration }, index) => ({
      ...{ budget_id: `budget-${index}`, max_budget: Number(limit) / 1e9, budget_duration: duration, ...stamps, ...by },
      budget_reset_at: duration === null ? null : inDays(0.5),
    })),
  );
  await insert(
    client,
    'LiteLLM_TeamTable',
    rows(teams, ({ models, blocked, spent }, index) => ({
      ...{ team_id: `team-${index}`, team_alias: `Team ${index}`, models, blocked, spend: spentAsThere(spent) },
      ...{
        max_budget: Number(teamBudget.limit) / 1e9,
        budget_duration: teamBudget.duration,
        budget_reset_at: inDays(9),
      },
      ...{ members_with_roles: [{ role: 'admin', user_id: `user-${index}` }], metadata: {}, admins: [], members: [] },
      ...{ model_spend: {}, model_max_budget: {}, team_member_permissions: [], access_group_ids: [], policies: [] },
      ...{ default_team_member_models: [], allow_team_guardrail_config: false, ...stamps },
    })),
  );
  await insert(
    client,
    'LiteLLM_UserTable',
    rows(users, ({ email, budget, spent }, index) => ({
      ...{ user_id: `user-${index}`, user_alias: `User ${index}`, user_email: email, teams: [`team-${index}`] },
      ...{ user_role: index === 0 ? 'proxy_admin' : 'internal_user', models: [], spend: spentAsThere(spent) },
      ...{ max_budget: budget && Number(budget.limit) / 1e9, budget_duration: budget?.duration ?? null },
      ...{ budget_reset_at: budget ? inDays(9) : null, metadata: {}, allowed_cache_controls: [], policies: [] },
      ...{ model_spend: {}, model_max_budget: {}, ...stamps },
    })),
  );
  await insert(client, 'LiteLLM_VerificationToken', rows(keys, keyRow));
  await insert(
    client,
    'LiteLLM_DeprecatedVerificationToken',
    former.map(({ token, successor }, index) => ({
      ...{ id: `former-${index}`, token, active_token_id: successor.token, revoke_at: inDays(2) },
      created_at: stamps.created_at,
    })),
  );
  await insert(client, 'LiteLLM_SpendLogs', keys.flatMap(logRows));
  await insert(client, 'LiteLLM_ProxyModelTable', [sealedModel(by)]);
}

const now = new Date().toISOString().slice(0, -1);
const stamps = { created_at: now, updated_at: now };

function keyRow(key: PlannedKey): object {
  return {
    ...{ token: key.token, key_name: `sk-...${key.apiKey.slice(-4)}`, key_alias: key.alias, models: key.models },
    ...{
      user_id: key.user === null ? null : `user-${key.user}`,
      team_id: key.team === null ? null : `team-${key.team}`,
    },
    ...{ spend: spentAsThere(key.spent), total_spend: spentAsThere(key.total), rpm_limit: key.rpm },
    ...{ max_parallel_requests: key.parallel, blocked: key.refused === 'blocked' ? true : null },
    ...{ max_budget: key.own && Number(key.own.limit) / 1e9, budget_duration: key.own?.duration ?? null },
    budget_reset_at: key.own?.duration == null && key.shared === null ? null : inDays(0.5),
    ...{ budget_id: key.shared === null ? null : `budget-${key.shared}`, soft_budget_cooldown: false },
    expires: key.endsInDays === null ? null : inDays(key.endsInDays),
    ...{ aliases: {}, config: {}, permissions: {}, metadata: {}, allowed_cache_controls: [], allowed_routes: [] },
    ...{ policies: [], access_group_ids: [], model_spend: {}, model_max_budget: {}, budget_fallbacks: {}, ...stamps },
  };
}

/** What was logged of a key, in two requests. */
function logRows({ token, logged }: PlannedKey): object[] {
  if (logged === 0n) return [];
  return [logged / 3n, logged - logged / 3n].map((spent, index) => ({
    ...{ request_id: `${token.slice(0, 20)}-${index}`, call_type: 'acompletion', api_key: token },
    ...{ spend: Number(spent) / 1e9, total_tokens: 30, prompt_tokens: 20, completion_tokens: 10 },
    ...{ startTime: now, endTime: now, model: 'openai/gpt-4.1', user: '', metadata: {}, ...stamps },
  }));
}

/**
 * LiteLLM seals each text of `litellm_params` with its salt key (NaCl's secret box, in base64). Who has no
 * such key sees what has no order, as this has none.
 * https://docs.litellm.ai/docs/proxy/prod
 */
function sealedModel(by: object): object {
  const sealed = (): string => randomBytes(64).toString('base64url');
  return {
    ...{ model_id: 'model-1', model_name: 'kept-in-the-database', model_info: { id: 'model-1', db_model: true } },
    ...{ litellm_params: { model: sealed(), api_key: sealed() }, blocked: false, ...stamps, ...by },
  };
}
