import type { ClientBase } from 'pg';
import { z } from 'zod';
import type { SettingsReport } from './settings-report';

/** Tables that hold what was, what runs, or what belongs to rows of others: no setting. */
const noSettings = new RegExp(
  `^LiteLLM_(?:${[
    ...['Daily\\w+', 'Deleted\\w+', 'Retired\\w+', 'SpendLog\\w+', 'ErrorLogs', 'AuditLog', 'BudgetWindowSpend'],
    ...['HealthCheckTable', 'CronJob', 'ProxyWorkerHeartbeat', 'UserNotifications', 'InvitationLink', 'UISettings'],
    ...['AdaptiveRouter\\w+', 'AutoRouter\\w+', 'ShadowEval\\w+', 'Workflow\\w+', 'BackgroundInteraction\\w+'],
    ...['Lens\\w*', 'TelemetryReport', 'ManagedFile\\w+', 'ManagedObjectTable', 'SSOIdentityAssertion'],
    ...['VerifiedSubject', 'MCPUser\\w+'],
  ].join('|')})$`,
);
const guardrails = 'guardrails of tollgate.yaml: pii and regex, see its example';
const tools = 'servers of MCP and their tools are the clients’ own: docs/dialects.md';
const notes: Readonly<Record<string, string>> = {
  LiteLLM_CredentialsTable: 'they are sealed with its salt key: name them in credential_list of config.yaml first',
  LiteLLM_ModelTable: 'aliases belong to a model (aliases of tollgate.yaml), not to a team',
  LiteLLM_ModelAccessGroupBudgetTable: 'make a budget of these models: tollgate budgets create --models',
  LiteLLM_JWTKeyMapping: 'give each caller a key; people sign in with an OpenID provider (OIDC_ISSUER)',
  LiteLLM_SSOConfig: 'people sign in with an OpenID provider: OIDC_ISSUER',
  LiteLLM_CacheConfig: 'edges share the cache in Valkey: set VALKEY_URL at every edge',
  LiteLLM_GuardrailsTable: guardrails,
  LiteLLM_PolicyTable: guardrails,
  LiteLLM_PolicyAttachmentTable: guardrails,
  LiteLLM_MCPServerTable: tools,
  LiteLLM_MCPToolsetTable: tools,
  LiteLLM_MCPServerOAuthClient: tools,
  LiteLLM_SearchToolsTable: tools,
  LiteLLM_ObjectPermissionTable: 'tools of MCP servers and vector stores are not kept here',
  LiteLLM_OrganizationMembership: 'there is nothing above an account; budgets are of accounts (teams) and keys',
  LiteLLM_PromptTable: 'prompts stay with those who send them',
};

/** What stands in tables of LiteLLM that are not read: how many rows each has, and names of settings. */
export interface OtherTables {
  rows: ReadonlyMap<string, number>;
  /** `router_settings.fallbacks`: what its pages have changed of config.yaml. */
  settings: readonly string[];
}

const kept = z.object({ name: z.string(), value: z.unknown() });

/** Counts the rows of every table but those of these names. A table of settings is small. */
export async function readOtherTables(client: ClientBase, read: ReadonlySet<string>): Promise<OtherTables> {
  const { rows: tables } = await client.query<{ name: string }>(
    `SELECT table_name AS name FROM information_schema.tables
      WHERE table_schema = current_schema() AND table_type = 'BASE TABLE' AND table_name LIKE 'LiteLLM\\_%' ORDER BY 1`,
  );
  const rows = new Map<string, number>();
  for (const { name } of tables.filter((one) => !read.has(one.name) && !noSettings.test(one.name))) {
    const counted = await client.query<{ rows: number }>(
      `SELECT count(*)::int AS rows FROM "${name.replaceAll('"', '""')}"`,
    );
    rows.set(name, counted.rows[0]?.rows ?? 0);
  }
  const settings = rows.get('LiteLLM_Config') ? await keptSettings(client) : [];
  rows.delete('LiteLLM_Config');
  return { rows, settings };
}

async function keptSettings(client: ClientBase): Promise<string[]> {
  const { rows } = await client.query(
    'SELECT param_name AS name, param_value AS value FROM "LiteLLM_Config" ORDER BY 1',
  );
  return rows
    .map((row) => kept.parse(row))
    .flatMap(({ name, value }) => {
      const isSection = typeof value === 'object' && value !== null && !Array.isArray(value);
      return isSection ? Object.keys(value).map((field) => `${name}.${field}`) : [name];
    });
}

/** Tells what of them is not carried. */
export function tellOtherTables({ rows, settings }: OtherTables, report: SettingsReport): void {
  for (const [table, count] of rows) report.left(table, notes[table] ?? 'Tollgate has no like of it', count);
  for (const setting of settings)
    report.left(
      `LiteLLM_Config: ${setting}`,
      'its pages changed it: write it into config.yaml, and give that to --config',
    );
}
