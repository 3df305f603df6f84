import { limitsInMetadata } from './litellm-rates';
import { isSet, type SettingsReport } from './settings-report';
import type { LitellmDatabase } from './litellm-database';

const tables = {
  keys: 'LiteLLM_VerificationToken',
  teams: 'LiteLLM_TeamTable',
  users: 'LiteLLM_UserTable',
  projects: 'LiteLLM_ProjectTable',
  budgets: 'LiteLLM_BudgetTable',
} as const;

/** Columns that are read, or that say nothing which could be set. */
const known = new Set([
  ...[
    'token',
    'key_name',
    'key_alias',
    'user_id',
    'team_id',
    'project_id',
    'spend',
    'total_spend',
    'expires',
    'blocked',
  ],
  ...[
    'budget_id',
    'max_budget',
    'budget_duration',
    'budget_reset_at',
    'rpm_limit',
    'tpm_limit',
    'models',
    'max_parallel_requests',
    'access_group_ids',
  ],
  ...['team_alias', 'user_alias', 'user_email', 'user_role', 'project_alias', 'description', 'teams', 'admins'],
  ...['created_at', 'created_by', 'updated_at', 'updated_by', 'settings_updated_at', 'last_active', 'model_spend'],
  ...['soft_budget_cooldown', 'rotation_count', 'last_rotation_at', 'key_rotation_at', 'key_type', 'members'],
]);
const notes: Readonly<Record<string, string>> = {
  tpd_limit:
    'make a budget of tokens a day: tollgate budgets create --tokens <number> --window day, with --key where it is of one',
  soft_budget: 'a budget here is hard; alerts are rules of Prometheus',
  aliases: 'aliases belong to a model (aliases of tollgate.yaml), not to a key',
  model_max_budget: 'make a budget of these models: tollgate budgets create --models',
  budget_limits: 'make a budget of these models: tollgate budgets create --models',
  allowed_routes: 'a key may use every surface; what it may ask is a matter of its models',
  permissions: 'guardrails of tollgate.yaml are switched on by key and model',
  metadata: 'nothing here reads it, but for limits of models of keys',
  members_with_roles: 'members sign in for accounts of their own; keys stay with the team',
  auto_rotate: 'rotate it by hand: tollgate keys rotate --overlap',
  rotation_interval: 'rotate it by hand: tollgate keys rotate --overlap',
  organization_id: 'there is nothing above an account',
  object_permission_id: 'tools of MCP servers and vector stores are not kept here',
  router_settings: 'places and fallbacks are of a model, not of a key',
  password: 'people set a new one ("Forgot password"), or sign in with the OpenID provider',
  sso_user_id: 'the OpenID provider vouches for the address of mail',
};

/** What is left of a column, without what was read of it. */
function unreadOf(table: keyof typeof tables, column: string, value: unknown): unknown {
  if (table !== 'keys' || column !== 'metadata' || typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).filter(([name]) => !limitsInMetadata.includes(name)));
}

/** Tells what stands in LiteLLM's tables that no account, key or budget of ours holds. */
export function tellUnread(database: LitellmDatabase, report: SettingsReport): void {
  for (const name of Object.keys(tables) as (keyof typeof tables)[])
    for (const row of database[name] as Record<string, unknown>[])
      for (const [column, value] of Object.entries(row))
        if (!known.has(column) && isSet(unreadOf(name, column, value)))
          report.left(`${tables[name]}.${column}`, notes[column] ?? 'Tollgate has no like of it');
  const named = new Set(database.keys.map(({ budget_id: id }) => id));
  report.left(
    'tpm_limit of a budget that no key names',
    'tokens a minute are of a key: tollgate keys create --tpm',
    database.budgets.filter(({ budget_id: id, tpm_limit: limit }) => limit !== null && !named.has(id)).length,
  );
  const withBudget = (rows: readonly { budget_id: string | null }[]): number =>
    rows.filter(({ budget_id: id }) => id !== null).length;
  report.left(
    'budgets of organizations',
    'budgets are of accounts (teams) and keys',
    withBudget(database.organizations),
  );
  report.left(
    'budgets of end users',
    'make budgets of end users: tollgate budgets create --end-user',
    withBudget(database.endUsers),
  );
  report.left(
    'end users that are blocked',
    'refuse them before you ask, or give each a key',
    database.endUsers.filter(({ blocked }) => blocked).length,
  );
  report.left('budgets of tags', 'make budgets of tags: tollgate budgets create --tag', withBudget(database.tags));
  report.left(
    'models in its database',
    'they are sealed with its salt key: put them into config.yaml first, and give that to --config',
    database.models.length,
  );
}
