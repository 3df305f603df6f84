import { randomUUID } from 'node:crypto';
import { basename } from 'node:path';
import { decimalFromPicoUsd } from '@tollgate/contracts';
import { catalogOperations } from '@tollgate/contracts/catalog';
import { type DriftRequest, invoiceOperations } from '@tollgate/contracts/metering';
import { Command, InvalidArgumentError } from 'commander';
import { readDay } from '../arguments/arguments';
import { Refusal } from '../failure';
import type { MakeCommand, Surroundings } from '../gateway';
import { invoiceColumns, invoiceForms } from '../invoices/invoice-forms';
import { type BilledModels, type ColumnNames, type Invoice, readInvoice } from '../invoices/invoice-lines';
import { loadText } from '../prices/load-document';
import { table } from '../text/table';
import { instant, limit } from '../text/values';

/** What metering takes at once. */
const stepLines = 1_000;
const storeTimeoutMs = 30_000;

interface Options {
  provider: string;
  column: ColumnNames;
  model: BilledModels['named'];
  json?: boolean;
}

/**
 * `invoices import`: stores a provider's invoice beside what our prices make of its days, day by day in place
 * of what was stored.
 * @throws Refusal when the file cannot be read, or `--provider` is none of the catalog.
 */
function invoicesImport({ gateway, output }: Surroundings): Command {
  return new Command('import')
    .description('store the invoice of a provider that has no API for it; tollgate reconcile compares it')
    .argument(
      '<file or URL>',
      `CSV with a first line of names: ${invoiceForms.map(({ name }) => name).join(', ')}; or day, usd, and what there is of model, kind, quantity, request_id`,
    )
    .requiredOption('--provider <id>', 'whose invoice it is')
    .option(
      '--column <name=column>',
      'how the file calls a column, such as usd="Cost (USD)"; several times',
      readColumn,
      {},
    )
    .option(
      '--model <text=id>',
      'the model of lines that name it so, such as Claude9Epic=bedrock/claude-epic-9; several times',
      readModel,
      {},
    )
    .option('--json', 'print JSON')
    .action(async (place: string, { provider, column, model: named, json }: Options) => {
      const { models, providers } = await gateway.call(catalogOperations.snapshot, {});
      if (!providers.some(({ id }) => id === provider)) throw new Refusal(`The catalog has no provider ${provider}.`);
      const strange = Object.values(named).find((id) => !models.some((model) => model.id === id));
      if (strange !== undefined) throw new Refusal(`The catalog has no model ${strange}.`);
      const invoice = readInvoice(await loadText(place), { provider, models, named }, column);
      const days = [...invoice.days].sort(([one], [other]) => one.localeCompare(other));
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
      const { form, unknown } = invoice;
      const leftOut = [...invoice.leftOut].map(([service, picos]) => ({ service, usd: decimalFromPicoUsd(picos) }));
      output.show({ provider, form, days: sums, leftOut, unknownModels: [...unknown] }, json, () => {
        const rows = sums.map(({ day, lines, usd }) => [day, limit(lines), `$${usd}`]);
        return [`Read as ${form}.`, table(['day', 'lines', 'billed'], rows), ...remarks(invoice)].join('\n\n');
      });
    });
}

/** What of a file is not compared, or not with a model. */
function remarks({ leftOut, unknown }: Invoice): string[] {
  const services = [...leftOut].map(([service, picos]) => `${service} ($${decimalFromPicoUsd(picos)})`);
  const names = [...unknown];
  return [
    ...(services.length > 0 ? [`Left out, as no service of models: ${services.join(', ')}.`] : []),
    ...(names.length > 0
      ? [
          `The catalog has no model that is called so; --model <text=id> says which one is meant:\n${names.map((name) => `  ${name}`).join('\n')}`,
        ]
      : []),
  ];
}

function readModel(text: string, known: BilledModels['named']): BilledModels['named'] {
  const [words, id] = text.split(/=(.*)/s);
  if (!words || !id) throw new InvalidArgumentError('Give <text of the lines>=<id of the model>.');
  return { ...known, [words]: id };
}

function readColumn(text: string, known: ColumnNames): ColumnNames {
  const [name, column] = text.split(/=(.*)/s);
  const meant = invoiceColumns.find((each) => each === name);
  if (!meant || !column)
    throw new InvalidArgumentError(`Give <name>=<column>, the name one of ${invoiceColumns.join(', ')}.`);
  return { ...known, [meant]: column };
}

/** All events of a day are read. */
const timeoutMs = 600_000;

const reasons: Record<DriftRequest['reason'], string> = {
  amount: 'billed otherwise',
  'unknown-here': 'billed, not known here',
  'not-billed': 'not billed',
  minute: 'in a minute with other tokens',
  line: 'in the line',
};

/** `invoices requests`: names the requests behind a line of `reconcile`. */
function invoicesRequests({ gateway, output }: Surroundings): Command {
  return new Command('requests')
    .description('name the requests behind a line that tollgate reconcile shows')
    .argument('<provider>')
    .argument('<day>', 'such as 2026-11-01', readDay)
    .argument('<model>', 'as reconcile shows it; "" where it shows none')
    .argument('<kind>', 'as reconcile shows it; "" where it shows none')
    .option('--json', 'print JSON')
    .action(async (provider: string, day: string, model: string, kind: string, { json }: { json?: boolean }) => {
      const reply = await gateway.call(invoiceOperations.requests, { provider, day, model, kind }, { timeoutMs });
      output.show(reply, json, () => {
        const { requests, count } = reply;
        if (count === 0) return 'No request is behind this line.';
        const rows = requests.map((each) => [
          each.eventId ?? 'none',
          each.requestId,
          instant(each.at),
          reasons[each.reason],
          dollars(each.billedPicoUsd),
          dollars(each.ratedPicoUsd),
          dollars(each.estimatedPicoUsd),
        ]);
        const more = count > requests.length ? `\n… and ${limit(count - requests.length)} more` : '';
        return `${table(['event', 'request', 'began', 'why', 'billed', 'ours', 'perhaps'], rows)}${more}`;
      });
    });
}

function dollars(picos: string | null): string {
  return picos === null ? 'not told' : `$${decimalFromPicoUsd(BigInt(picos))}`;
}

export const commands: readonly MakeCommand[] = [invoicesImport, invoicesRequests];
