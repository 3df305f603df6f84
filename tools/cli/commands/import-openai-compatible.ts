import { Command } from 'commander';
import type { Surroundings } from '../gateway';
import { SettingsReport, settingsTable } from '../imports/settings-report';
import { endpointList, fromEndpoints } from '../imports/openai-compatible';
import { readYaml } from '../imports/read-yaml';
import { tollgateYaml, writeOnce } from '../imports/written-file';

interface Options {
  write: string;
  dryRun?: boolean;
  json?: boolean;
}

/**
 * `import openai-compatible`: makes providers and models of a list of endpoints that speak OpenAI's format.
 * @throws Refusal when the file cannot be read or is no such list, or the file that is to be written is
 * another already.
 */
export function importOpenaiCompatible({ output }: Surroundings): Command {
  return new Command('openai-compatible')
    .description('make providers and models of a list of endpoints that speak the format of OpenAI')
    .argument(
      '<file>',
      'YAML or JSON: a list of { name, base_url, api_key, models, weight }, only base_url must be there',
    )
    .option('--write <file>', 'the tollgate.yaml that is made', 'tollgate.yaml')
    .option('--dry-run', 'only tell what becomes of each setting')
    .option('--json', 'print JSON')
    .action(async (path: string, { write, dryRun = false, json }: Options) => {
      const report = new SettingsReport();
      const sections = fromEndpoints(await readYaml(path, endpointList, 'list of endpoints'), report);
      const text = tollgateYaml({ ...sections, plans: {} }, path);
      if (!dryRun) await writeOnce(write, text);
      const sizes = { providers: sections.providers.length, models: sections.models.length };
      const result = { settings: report.lines, file: { path: write, ...sizes } };
      const told = `${write}: ${sizes.providers} providers, ${sizes.models} models${dryRun ? ' (not written)' : ''}.`;
      output.show(result, json, () => `${settingsTable(report.lines)}\n\n${told}`);
    });
}
