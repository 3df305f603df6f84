import { Command } from 'commander';
import { basename, extname } from 'node:path';
import { Refusal } from '../failure';
import type { Surroundings } from '../gateway';
import { nobody } from '../imports/imported-accounts';
import { portkeyFile } from '../imports/portkey-config';
import { fromPortkeyConfigs, type NamedConfig } from '../imports/portkey-models';
import { readYaml } from '../imports/read-yaml';
import { SettingsReport } from '../imports/settings-report';
import { finishImport, type ImportOptions } from './finish-import';

interface Options extends ImportOptions {
  model: string[];
  provider: string[];
}

/**
 * `import portkey`: makes a tollgate.yaml of Portkey's configs, each of which becomes a model by its name. It
 * names what becomes of every setting. Keys of callers are at Portkey alone, so that nobody keeps one.
 * @throws Refusal when a file cannot be read, or the file that is to be written is another already.
 */
export function importPortkey(surroundings: Surroundings): Command {
  return new Command('portkey')
    .description('come over from Portkey: its configs become models of a tollgate.yaml')
    .argument('<files...>', 'configs, or what its API answers of one (GET /v1/configs/<slug>)')
    .option('--model <name...>', 'what callers ask for where a config names no model', [])
    .option('--provider <slug=provider...>', 'whose key a virtual key is, where its name does not say it', [])
    .option('--write <file>', 'the tollgate.yaml that is made', 'tollgate.yaml')
    .option('--dry-run', 'only tell what becomes of each setting')
    .option('--json', 'print JSON')
    .action(async (paths: string[], { model: asked, provider, ...options }: Options) => {
      const report = new SettingsReport();
      const configs = await Promise.all(paths.map(async (path) => readConfig(path, report)));
      // These are large, and no other command needs them.
      const { builtInProviders, knownModels } = await import('../imports/known-models');
      const context = { builtIn: builtInProviders, known: knownModels(), named: namedOf(provider), asked, report };
      const sections = fromPortkeyConfigs(configs, context);
      const read = { source: 'portkey', origin: paths.join(', '), sections, people: nobody, report };
      await finishImport(surroundings, read, options);
    });
}

/** Its slug or name, else that of its file. */
async function readConfig(path: string, report: SettingsReport): Promise<NamedConfig> {
  const { config, slug, name } = await readYaml(path, portkeyFile, report);
  return { name: slug ?? name ?? basename(path, extname(path)), config };
}

/** @throws Refusal for what is no `slug=provider`. */
function namedOf(list: readonly string[]): ReadonlyMap<string, string> {
  return new Map(
    list.map((text) => {
      const [, slug, provider] = /^@?([^=]+)=(.+)$/.exec(text) ?? [];
      if (slug === undefined || provider === undefined) throw new Refusal(`${text} is no <slug>=<provider>.`);
      return [slug, provider];
    }),
  );
}
