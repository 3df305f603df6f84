import { Command } from 'commander';
import type { MakeCommand, Surroundings } from '../gateway';
import { bifrostFile, fromBifrostConfig } from '../imports/bifrost-config';
import { nobody } from '../imports/imported-accounts';
import { endpointList, fromEndpoints } from '../imports/openai-compatible';
import { readYaml } from '../imports/read-yaml';
import { SettingsReport } from '../imports/settings-report';
import { finishImport, type ImportOptions } from './finish-import';
import { importLitellm } from './import-litellm';
import { importOpenrouter } from './import-openrouter';
import { importPortkey } from './import-portkey';

/**
 * `import bifrost`: makes a tollgate.yaml of Bifrost's config.json, and accounts, keys and budgets of its
 * virtual keys; callers keep their keys. It names what becomes of every setting. A second run makes nothing
 * twice.
 * @throws Refusal when the file cannot be read, or the file that is to be written is another already.
 */
function importBifrost(surroundings: Surroundings): Command {
  return new Command('bifrost')
    .description('come over from Bifrost: its config.json becomes a tollgate.yaml, its virtual keys go on')
    .argument('<file>', 'its config.json; variables that it names for keys of callers and addresses are read here, too')
    .option('--write <file>', 'the tollgate.yaml that is made', 'tollgate.yaml')
    .option('--plan <plan>', 'the plan of every account that comes', 'enterprise')
    .option('--dry-run', 'only tell what becomes of each setting')
    .option('--json', 'print JSON')
    .action(async (path: string, { plan, ...options }: ImportOptions & { plan: string }) => {
      const report = new SettingsReport();
      const config = await readYaml(path, bifrostFile, report);
      // These are large, and no other command needs them.
      const { builtInProviders, knownModels } = await import('../imports/known-models');
      const context = { builtIn: builtInProviders, known: knownModels(), plan, nowMs: Date.now(), report };
      const { environment } = surroundings;
      const { sections, people } = fromBifrostConfig(config, { ...context, environment });
      await finishImport(surroundings, { source: 'bifrost', origin: path, sections, people, report }, options);
    });
}

/**
 * `import openai-compatible`: makes providers and models of a list of endpoints that speak OpenAI's format.
 * @throws Refusal when the file cannot be read or is no such list, or the file that is to be written is
 * another already.
 */
function importOpenaiCompatible(surroundings: Surroundings): Command {
  return new Command('openai-compatible')
    .description('make providers and models of a list of endpoints that speak the format of OpenAI')
    .argument(
      '<file>',
      'YAML or JSON: a list of { name, base_url, api_key, models, weight }, only base_url must be there',
    )
    .option('--write <file>', 'the tollgate.yaml that is made', 'tollgate.yaml')
    .option('--dry-run', 'only tell what becomes of each setting')
    .option('--json', 'print JSON')
    .action(async (path: string, options: ImportOptions) => {
      const report = new SettingsReport();
      const sections = fromEndpoints(await readYaml(path, endpointList, report), report);
      const read = { source: 'openai-compatible', origin: path, sections, people: nobody, report };
      await finishImport(surroundings, read, options);
    });
}

export const commands: readonly MakeCommand[] = [
  importLitellm,
  importPortkey,
  importBifrost,
  importOpenrouter,
  importOpenaiCompatible,
];
