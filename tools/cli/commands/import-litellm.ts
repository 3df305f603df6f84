import { Command } from 'commander';
import { ZodError } from 'zod';
import { Refusal } from '../failure';
import type { Surroundings } from '../gateway';
import { nobody, type ImportedAccounts } from '../imports/imported-accounts';
import { fromLitellmDatabase } from '../imports/litellm-accounts';
import { fromLitellmConfig, type ImportedConfig } from '../imports/litellm-config';
import { writtenPrices } from '../imports/model-entries';
import { readLitellmConfig } from '../imports/read-litellm-config';
import type { DocumentEntry } from '../prices/document-entry';
import { loadDocument } from '../prices/load-document';
import { readLitellm } from '../prices/litellm';
import { SettingsReport } from '../imports/settings-report';
import { finishImport, type ImportOptions } from './finish-import';

interface Options extends ImportOptions {
  config?: string;
  database?: string;
  prices?: string;
  plan: string;
}

const nothing: ImportedConfig = { providers: [], models: [], accessGroups: new Map() };

/**
 * `import litellm`: makes a tollgate.yaml of LiteLLM's config.yaml, and accounts, people, keys and budgets of
 * its database; callers keep their keys. It names what becomes of every setting. A second run makes nothing
 * twice.
 * @throws Refusal when the file or the database cannot be read, or the file that is to be written is another
 * already.
 */
export function importLitellm(surroundings: Surroundings): Command {
  return new Command('litellm')
    .description('come over from LiteLLM: its config.yaml becomes a tollgate.yaml, its keys go on')
    .option('--config <file>', 'its config.yaml')
    .option('--database <url>', 'its Postgres, which is only read (LITELLM_DATABASE_URL when absent)')
    .option('--prices <file or URL>', 'its price document, for models that neither --config nor the catalog prices')
    .option('--write <file>', 'the tollgate.yaml that is made', 'tollgate.yaml')
    .option('--plan <plan>', 'the plan of every account that comes', 'enterprise')
    .option('--dry-run', 'only tell what becomes of each setting')
    .option('--json', 'print JSON')
    .action(async ({ config, prices, plan, ...options }: Options) => {
      const database = options.database ?? surroundings.environment.LITELLM_DATABASE_URL;
      if (config === undefined && database === undefined) throw new Refusal('Give --config, --database, or both.');
      if (config === undefined && prices !== undefined) throw new Refusal('--prices is for the models of --config.');
      const report = new SettingsReport();
      const settings = config === undefined ? nothing : await readConfig(config, prices, report);
      const context = { plan, groups: settings.accessGroups, report, nowMs: Date.now() };
      const people = database === undefined ? nobody : await readDatabase(database, context);
      const origin = config ?? "LiteLLM's database";
      await finishImport(surroundings, { source: 'litellm', origin, sections: settings, people, report }, options);
    });
}

async function readConfig(path: string, prices: string | undefined, report: SettingsReport): Promise<ImportedConfig> {
  const config = await readLitellmConfig(path, report);
  // These are large, and no other command needs them.
  const { builtInProviders, knownModels } = await import('../imports/known-models');
  return fromLitellmConfig(config, {
    builtIn: builtInProviders,
    known: knownModels(),
    prices: prices === undefined ? new Map() : await readPrices(prices),
    report,
  });
}

/**
 * What models cost by the names that LiteLLM's price document gives them.
 * @throws Refusal when it cannot be read, or tells no price
 */
async function readPrices(place: string): Promise<ReadonlyMap<string, object>> {
  const entries = pricesIn(await loadDocument(place));
  if (entries.length === 0) throw new Refusal(`${place} is no price document of LiteLLM.`);
  return new Map(entries.flatMap(({ model, sheet }) => (sheet ? [[model, writtenPrices(sheet)]] : [])));
}

function pricesIn(document: unknown): DocumentEntry[] {
  try {
    return readLitellm(document);
  } catch (error) {
    if (error instanceof ZodError) return [];
    throw error;
  }
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
