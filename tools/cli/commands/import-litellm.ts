import { decimalFromNanoUsd, nanoUsdFromDecimal, type ImportCounts } from '@tollgate/contracts';
import { Command } from 'commander';
import { Refusal } from '../failure';
import type { Surroundings } from '../gateway';
import { SettingsReport, settingsTable, type SettingLine } from '../imports/settings-report';
import { fromLitellmDatabase, type ImportedAccounts } from '../imports/litellm-accounts';
import { fromLitellmConfig, litellmConfig, type ImportedConfig } from '../imports/litellm-config';
import { readYaml } from '../imports/read-yaml';
import { takeAccounts } from '../imports/take-accounts';
import { tollgateYaml, writeOnce } from '../imports/written-file';

interface Options {
  config?: string;
  database?: string;
  write: string;
  plan: string;
  dryRun?: boolean;
  json?: boolean;
}

/** What was read, and what came of it. `made` null: nothing was to be changed. */
interface Result {
  settings: SettingLine[];
  file: { path: string; providers: number; models: number; plans: number } | null;
  read: ImportCounts & { openingUsd: string };
  made: ImportCounts | null;
}

const nothing: ImportedConfig = { providers: [], models: [], accessGroups: new Map() };
const nobody: ImportedAccounts = { accounts: [], plans: new Map() };

/**
 * `import litellm`: makes a tollgate.yaml of LiteLLM's config.yaml, and accounts, people, keys and budgets of
 * its database; callers keep their keys. It names what becomes of every setting. A second run makes nothing
 * twice.
 * @throws Refusal when the file or the database cannot be read, or the file that is to be written is another
 * already.
 */
export function importLitellm({ environment, gateway, output, actor }: Surroundings): Command {
  return new Command('litellm')
    .description('come over from LiteLLM: its config.yaml becomes a tollgate.yaml, its keys go on')
    .option('--config <file>', 'its config.yaml')
    .option('--database <url>', 'its Postgres, which is only read (LITELLM_DATABASE_URL when absent)')
    .option('--write <file>', 'the tollgate.yaml that is made', 'tollgate.yaml')
    .option('--plan <plan>', 'the plan of every account that comes', 'enterprise')
    .option('--dry-run', 'only tell what becomes of each setting')
    .option('--json', 'print JSON')
    .action(async ({ config, write, plan, dryRun = false, json, ...options }: Options) => {
      const database = options.database ?? environment.LITELLM_DATABASE_URL;
      if (config === undefined && database === undefined) throw new Refusal('Give --config, --database, or both.');
      const report = new SettingsReport();
      const settings = config === undefined ? nothing : await readConfig(config, report);
      const context = { plan, groups: settings.accessGroups, report, nowMs: Date.now() };
      const people = database === undefined ? nobody : await readDatabase(database, context);
      const sections = { ...settings, plans: plansOf(people) };
      const isWritten = settings.models.length > 0 || people.plans.size > 0;
      const text = tollgateYaml(sections, config ?? "LiteLLM's database");
      if (!dryRun && isWritten) await writeOnce(write, text);
      const made =
        dryRun || people === nobody ? null : await takeAccounts(gateway, people, { source: 'litellm', actor });
      const { providers, models, plans } = sections;
      const sizes = { providers: providers.length, models: models.length, plans: Object.keys(plans).length };
      const file = isWritten ? { path: write, ...sizes } : null;
      const result: Result = { settings: report.lines, file, read: sumsOf(people), made };
      output.show(result, json, () => told(result, dryRun));
    });
}

async function readConfig(path: string, report: SettingsReport): Promise<ImportedConfig> {
  const config = await readYaml(path, litellmConfig, 'config.yaml of LiteLLM');
  // These are large, and no other command needs them.
  const { builtInProviders, knownModels } = await import('../imports/known-models');
  return fromLitellmConfig(config, { builtIn: builtInProviders, known: knownModels(), report });
}

async function readDatabase(
  url: string,
  context: Parameters<typeof fromLitellmDatabase>[1],
): Promise<ImportedAccounts> {
  const [{ Client }, { readLitellmDatabase }] = await Promise.all([
    import('pg'),
    import('../imports/litellm-database'),
  ]);
  const client = new Client({
    connectionString: url,
    connectionTimeoutMillis: 5_000,
    application_name: 'tollgate-import',
  });
  try {
    await client.connect();
    return fromLitellmDatabase(await readLitellmDatabase(client), context);
  } catch (error) {
    // What Postgres and the driver say names no password.
    throw new Refusal(`LiteLLM's database cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  } finally {
    await client.end().catch(() => undefined);
  }
}

function plansOf({ plans }: ImportedAccounts): Record<string, object> {
  const limits = { rpm: 'unlimited', quotaTokens: 'unlimited' };
  return Object.fromEntries([...plans].map(([name, concurrency]) => [name, { ...limits, concurrency }]));
}

function sumsOf({ accounts }: ImportedAccounts): Result['read'] {
  const keys = accounts.flatMap((account) => account.keys);
  const nanos = keys.reduce((sum, { openingUsd = '0' }) => sum + nanoUsdFromDecimal(openingUsd), 0n);
  return {
    accounts: accounts.length,
    people: accounts.filter(({ person }) => person !== null).length,
    keys: keys.length,
    budgets: accounts.reduce((sum, { budgets }) => sum + budgets.length, 0),
    openingUsd: decimalFromNanoUsd(nanos),
  };
}

function told({ settings, file, read, made }: Result, dryRun: boolean): string {
  const counts = ({ accounts, people, keys, budgets }: ImportCounts): string =>
    `${accounts} accounts, ${people} people, ${keys} keys, ${budgets} budgets`;
  return [
    settingsTable(settings),
    ...(file
      ? [
          `${file.path}: ${file.providers} providers, ${file.models} models, ${file.plans} plans${dryRun ? ' (not written)' : ''}.`,
        ]
      : []),
    ...(read.accounts > 0 ? [`Read: ${counts(read)}; spent with these keys before: $${read.openingUsd}.`] : []),
    ...(made ? [`Made: ${counts(made)}; the rest was there.`] : []),
    ...(dryRun ? ['Nothing was changed.'] : []),
  ].join('\n\n');
}
