import { priceOperations } from '@tollgate/contracts/catalog';
import { Command } from 'commander';
import { writeFile } from 'node:fs/promises';
import { stringify } from 'yaml';
import { knownCatalog } from '../catalog/known-catalog';
import { newModels } from '../catalog/new-models';
import type { NewModel } from '../catalog/new-models';
import { Refusal } from '../failure';
import { doRecorded, type Surroundings } from '../gateway';
import { documentFormats, formatOption, fromOption, importTimeoutMs } from '../prices/document-formats';
import type { ImportOptions } from '../prices/document-formats';
import { loadDocument } from '../prices/load-document';
import { matchPrices } from '../prices/match-prices';
import { importReport } from '../text/import-report';
import { table } from '../text/table';

interface Options extends ImportOptions {
  write?: string;
  json?: boolean;
}

/**
 * `catalog update`: shows which prices a document would change and which models it has that the catalog
 * lacks. `--apply` takes the prices into force, `--write` puts the models into a file as entries of
 * tollgate.yaml; without them nothing is written.
 * @throws Refusal when the document cannot be read.
 */
export function catalogUpdate(surroundings: Surroundings): Command {
  const { gateway, output } = surroundings;
  return new Command('update')
    .description('show what a public document of models would change, and take it over with --apply and --write')
    .addOption(fromOption())
    .addOption(formatOption())
    .option('--provider <id>', 'only the models of this provider (all providers when absent)')
    .option('--apply', 'take the prices that differ into force, from now on')
    .option('--write <file>', 'write the models that the catalog lacks into this file, as entries of tollgate.yaml')
    .option('--json', 'print JSON')
    .action(async ({ from, format: name, provider, apply = false, write, json }: Options) => {
      const format = documentFormats[name];
      const document = await loadDocument(from);
      const { entries, facts } = read(name, document, from);
      const { models } = await knownCatalog(gateway);
      const { prices, strangers, ...compared } = matchPrices(entries, format, models, provider);
      const added = newModels(strangers, entries, facts, models, format);
      const request = { source: from, prices, apply };
      const reply = await doRecorded(surroundings, priceOperations.importPrices, request, {
        timeoutMs: importTimeoutMs,
      });
      if (write !== undefined) await save(write, added, from);
      const result = { ...reply, ...compared, strangers: [], added };
      output.show(result, json, () =>
        [importReport(result, prices.length, from), addedReport(added, write)].join('\n\n'),
      );
    });
}

function read(name: keyof typeof documentFormats, document: unknown, place: string) {
  try {
    const { read: pricesOf, facts } = documentFormats[name];
    return { entries: pricesOf(document), facts: facts(document) };
  } catch {
    throw new Refusal(`${place} is not a document of the format ${name}.`);
  }
}

async function save(path: string, models: readonly NewModel[], place: string): Promise<void> {
  try {
    await writeFile(path, `# Models of ${place} that the catalog lacks.\n${stringify({ models })}`, { flag: 'wx' });
  } catch (error) {
    throw new Refusal(`${path} cannot be written: ${error instanceof Error ? error.message : String(error)}.`);
  }
}

function addedReport(models: readonly NewModel[], written: string | undefined): string {
  if (models.length === 0) return 'The document has no model that the catalog lacks.';
  const rows = models.map(({ id, contextWindow, prices }) => [
    id,
    contextWindow?.toLocaleString('en-US') ?? 'unknown',
    prices.input,
    prices.output,
  ]);
  const next =
    written === undefined
      ? 'Add --write <file> to have them as entries of tollgate.yaml.'
      : `They are in ${written}: put those that are wanted into tollgate.yaml.`;
  return `${table(['new model', 'context', '$/M in', '$/M out'], rows)}\n\n${models.length} models are new. ${next}`;
}
