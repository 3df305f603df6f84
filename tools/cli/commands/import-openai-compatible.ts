import { Command } from 'commander';
import type { Surroundings } from '../gateway';
import { nobody } from '../imports/imported-accounts';
import { endpointList, fromEndpoints } from '../imports/openai-compatible';
import { readYaml } from '../imports/read-yaml';
import { SettingsReport } from '../imports/settings-report';
import { finishImport, type ImportOptions } from './finish-import';

/**
 * `import openai-compatible`: makes providers and models of a list of endpoints that speak OpenAI's format.
 * @throws Refusal when the file cannot be read or is no such list, or the file that is to be written is
 * another already.
 */
export function importOpenaiCompatible(surroundings: Surroundings): Command {
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
