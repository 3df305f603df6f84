import { Command } from 'commander';
import { Refusal } from '../failure';
import type { Surroundings } from '../gateway';
import { covers } from '../imports/covers';
import { nobody } from '../imports/imported-accounts';
import { fromOpenrouterKeys, openrouterKeys } from '../imports/openrouter-keys';
import { fromOpenrouterModels, openrouterModels } from '../imports/openrouter-models';
import { fromOpenrouterPreset, openrouterPreset } from '../imports/openrouter-presets';
import { readYaml } from '../imports/read-yaml';
import { SettingsReport } from '../imports/settings-report';
import type { WrittenModel } from '../imports/written-file';
import { finishImport, type ImportOptions } from './finish-import';

const modelsFile = { schema: openrouterModels, what: 'list of models of OpenRouter' };
const presetFile = { schema: openrouterPreset, what: 'preset of OpenRouter' };
/** A key comes with all that bounds it, or not. */
const keysFile = { schema: openrouterKeys, what: 'list of keys of OpenRouter', goesWith: () => 2 };

interface Options extends ImportOptions {
  models?: string;
  keys?: string;
  only: string[];
  preset: string[];
  plan: string;
}

/**
 * `import openrouter`: makes a tollgate.yaml of OpenRouter's models, which are asked there first of all, and
 * accounts, keys and budgets of its keys. It names what becomes of every setting. A second run makes nothing
 * twice.
 * @throws Refusal when a file cannot be read, or the file that is to be written is another already.
 */
export function importOpenrouter(surroundings: Surroundings): Command {
  return new Command('openrouter')
    .description('come over from OpenRouter: its models by their names, and its keys with their limits')
    .option('--models <file or URL>', 'what GET /api/v1/models answers')
    .option('--only <pattern...>', 'of these, the ones that callers ask for, such as anthropic/*', [])
    .option('--preset <file...>', 'what its API answers of a preset', [])
    .option(
      '--keys <file>',
      'what GET /api/v1/keys answers; OPENROUTER_API_KEY is one of them, to know their hashes by',
    )
    .option('--write <file>', 'the tollgate.yaml that is made', 'tollgate.yaml')
    .option('--plan <plan>', 'the plan of every account that comes', 'enterprise')
    .option('--dry-run', 'only tell what becomes of each setting')
    .option('--json', 'print JSON')
    .action(async ({ models: list, keys, only, preset, plan, ...options }: Options) => {
      if (list === undefined && keys === undefined) throw new Refusal('Give --models, --keys, or both.');
      const report = new SettingsReport();
      const models = list === undefined ? [] : await readModels(list, only, report);
      for (const path of preset) {
        const { data } = await readYaml(path, presetFile, report);
        models.push(...fromOpenrouterPreset(data, models, report));
      }
      const context = {
        knownKey: surroundings.environment.OPENROUTER_API_KEY ?? null,
        plan,
        nowMs: Date.now(),
        report,
      };
      const people = keys === undefined ? nobody : fromOpenrouterKeys(await readKeys(keys, report), context);
      const isAll = list !== undefined && only.length === 0;
      const providers = isAll ? [{ id: 'openrouter', unlisted: true }] : [];
      if (isAll) report.carried('models (not in the list)', 'unlisted: true; --only lets callers ask for no others');
      const origin = [list, keys].filter((one) => one !== undefined).join(', ');
      await finishImport(
        surroundings,
        { source: 'openrouter', origin, sections: { providers, models }, people, report },
        options,
      );
    });
}

async function readModels(path: string, only: readonly string[], report: SettingsReport): Promise<WrittenModel[]> {
  const { data } = await readYaml(path, modelsFile, report);
  const wanted = data.filter(({ id }) => only.length === 0 || only.some((pattern) => covers(pattern, id)));
  // These are large, and no other command needs them.
  const { knownModels } = await import('../imports/known-models');
  return fromOpenrouterModels(wanted, knownModels(), report);
}

async function readKeys(path: string, report: SettingsReport) {
  return (await readYaml(path, keysFile, report)).data;
}
