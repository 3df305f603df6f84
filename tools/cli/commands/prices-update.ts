import { priceOperations } from '@tollgate/contracts/catalog';
import { Command } from 'commander';
import { Refusal } from '../failure';
import { doRecorded, type Surroundings } from '../gateway';
import { knownCatalog } from '../catalog/known-catalog';
import type { DocumentEntry } from '../prices/document-entry';
import { documentFormats, formatOption, fromOption, importTimeoutMs } from '../prices/document-formats';
import type { DocumentFormat, ImportOptions } from '../prices/document-formats';
import { loadDocument } from '../prices/load-document';
import { matchPrices } from '../prices/match-prices';
import { importReport } from '../text/import-report';

interface Options extends ImportOptions {
  json?: boolean;
}

/**
 * `prices update`: shows how a price document differs from the prices in force, and with `--apply` takes it
 * into force.
 * @throws Refusal when the document cannot be read, or `--provider` names none of the catalog.
 */
export function pricesUpdate(surroundings: Surroundings): Command {
  const { gateway, output } = surroundings;
  return new Command('update')
    .description('show what a price document would change, and take it into force with --apply')
    .addOption(fromOption())
    .addOption(formatOption())
    .option('--provider <id>', 'only the models of this provider (all providers when absent)')
    .option('--apply', 'write what differs: it holds from now on, and no charge that was made changes')
    .option('--json', 'print JSON')
    .action(async ({ from: place, format: name, provider, apply = false, json }: Options) => {
      const format = documentFormats[name];
      const entries = readEntries(format, await loadDocument(place), place, name);
      const { models } = await knownCatalog(gateway);
      if (provider !== undefined && !models.some((model) => model.provider === provider))
        throw new Refusal(
          `No model of the catalog belongs to the provider ${provider}. tollgate models list --all shows them.`,
        );
      const { prices, strangers, ...compared } = matchPrices(entries, format, models, provider);
      const request = { source: place, prices, apply };
      const reply = await doRecorded(surroundings, priceOperations.importPrices, request, {
        timeoutMs: importTimeoutMs,
      });
      const result = { ...reply, ...compared, strangers };
      output.show(result, json, () => importReport(result, prices.length, place));
    });
}

function readEntries(format: DocumentFormat, document: unknown, place: string, name: string): DocumentEntry[] {
  try {
    return format.read(document);
  } catch {
    throw new Refusal(`${place} is not a price document of the format ${name}.`);
  }
}
