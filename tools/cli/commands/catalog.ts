import { priceOperations } from '@tollgate/contracts/catalog';
import { Command } from 'commander';
import { readModelsDevFacts } from '../catalog/document-facts';
import { type FactDifference, factDifferences } from '../catalog/fact-differences';
import { Refusal } from '../failure';
import { knownCatalog } from '../catalog/known-catalog';
import type { MakeCommand, Surroundings } from '../gateway';
import { documentFormats } from '../prices/document-formats';
import { loadDocument } from '../prices/load-document';
import { matchPrices } from '../prices/match-prices';
import { comparisonReport } from '../text/import-report';
import { table } from '../text/table';
import { catalogUpdate } from './catalog-update';

/** The whole catalog is compared in one transaction. */
const compareTimeoutMs = 30_000;

interface CompareOptions {
  provider?: string;
  json?: boolean;
}

/**
 * `catalog compare`: how the catalog differs from a document of models.dev, prices and facts; changes
 * nothing.
 * @throws Refusal when the document cannot be read.
 */
function catalogCompare({ gateway, output }: Surroundings): Command {
  return new Command('compare')
    .description('compare the catalog with a document of models.dev: prices, limits, what models take; changes nothing')
    .argument('<file or URL>', 'such as https://models.dev/api.json')
    .option('--provider <id>', 'only the models of this provider (all providers when absent)')
    .option('--json', 'print JSON')
    .action(async (place: string, { provider, json }: CompareOptions) => {
      const format = documentFormats['models.dev'];
      const document = await loadDocument(place);
      const [entries, facts] = readBoth(document, place);
      const { models } = await knownCatalog(gateway);
      const compared = models.filter((model) => provider === undefined || model.provider === provider);
      const { prices, ...rest } = matchPrices(entries, format, models, provider);
      const request = { source: place, prices, apply: false };
      const reply = await gateway.call(priceOperations.importPrices, request, { timeoutMs: compareTimeoutMs });
      const result = { ...reply, ...rest, facts: factDifferences(compared, facts) };
      output.show(result, json, () =>
        [comparisonReport(result, prices.length, place), factTable(result.facts)].join('\n\n'),
      );
    });

  function readBoth(document: unknown, place: string) {
    try {
      return [documentFormats['models.dev'].read(document), readModelsDevFacts(document)] as const;
    } catch {
      throw new Refusal(`${place} is not a document of models.dev.`);
    }
  }
}

function factTable(differences: readonly FactDifference[]): string {
  if (differences.length === 0) return 'Limits and abilities are the same.';
  const rows = differences.map(({ model, fact, ours, theirs }) => [model, fact, ours, theirs]);
  return table(['model', 'fact', 'here', 'there'], rows);
}

export const commands: readonly MakeCommand[] = [catalogCompare, catalogUpdate];
