import { catalogOperations, decimalFromPicoUsd, invoiceOperations } from '@tollgate/contracts';
import { Command, InvalidArgumentError } from 'commander';
import { randomUUID } from 'node:crypto';
import { basename } from 'node:path';
import { Refusal } from '../failure';
import type { Surroundings } from '../gateway';
import { invoiceColumns, invoiceLines, type ColumnNames } from '../invoices/invoice-lines';
import { loadText } from '../prices/load-document';
import { table } from '../text/table';
import { limit } from '../text/values';

/** What metering takes at once. */
const stepLines = 1_000;
const storeTimeoutMs = 30_000;

interface Options {
  provider: string;
  column: ColumnNames;
  json?: boolean;
}

/**
 * `invoices import`: stores a provider's invoice beside what our prices make of its days, day by day in place
 * of what was stored.
 * @throws Refusal when the file cannot be read, or `--provider` is none of the catalog.
 */
export function invoicesImport({ gateway, output }: Surroundings): Command {
  return new Command('import')
    .description('store the invoice of a provider that has no API for it; tollgate reconcile compares it')
    .argument(
      '<file or URL>',
      `CSV with a first line of names: ${invoiceColumns.join(', ')}; only day and usd must be there`,
    )
    .requiredOption('--provider <id>', 'whose invoice it is')
    .option(
      '--column <name=column>',
      'how the file calls a column, such as usd="Cost (USD)"; several times',
      readColumn,
      {},
    )
    .option('--json', 'print JSON')
    .action(async (place: string, { provider, column, json }: Options) => {
      const { models, providers } = await gateway.call(catalogOperations.snapshot, {});
      if (!providers.some(({ id }) => id === provider)) throw new Refusal(`The catalog has no provider ${provider}.`);
      const days = [...invoiceLines(await loadText(place), provider, models, column)].sort(([one], [other]) =>
        one.localeCompare(other),
      );
      if (days.length === 0) throw new Refusal(`${place} holds no line.`);
      const reading = randomUUID();
      for (const [day, lines] of days)
        for (let at = 0; at < lines.length; at += stepLines) {
          const step = { add: at > 0, reading, lines: lines.slice(at, at + stepLines) };
          const bill = { provider, day, source: basename(place), ...step };
          const { taken } = await gateway.call(invoiceOperations.store, bill, { timeoutMs: storeTimeoutMs });
          if (!taken) throw new Refusal(`Somebody else stores the bill of ${day} at the same time: theirs is kept.`);
        }
      const sums = days.map(([day, lines]) => ({
        day,
        lines: lines.length,
        usd: decimalFromPicoUsd(lines.reduce((sum, { picoUsd }) => sum + BigInt(picoUsd), 0n)),
      }));
      output.show({ provider, days: sums }, json, () =>
        table(
          ['day', 'lines', 'billed'],
          sums.map(({ day, lines, usd }) => [day, limit(lines), `$${usd}`]),
        ),
      );
    });
}

function readColumn(text: string, known: ColumnNames): ColumnNames {
  const [name, column] = text.split(/=(.*)/s);
  const meant = invoiceColumns.find((each) => each === name);
  if (!meant || !column)
    throw new InvalidArgumentError(`Give <name>=<column>, the name one of ${invoiceColumns.join(', ')}.`);
  return { ...known, [meant]: column };
}
