import { readFile } from 'node:fs/promises';
import { type PriceSheet, setPriceOperations, statedPriceSheet, type ToldPrice } from '@tollgate/contracts/catalog';
import { Command } from 'commander';
import { z } from 'zod';
import { readPageSize, readFutureMs } from '../arguments/arguments';
import { exitCodes, Refusal } from '../failure';
import { doRecorded, type MakeCommand, type Surroundings } from '../gateway';
import { rateTable, sheetText } from '../text/prices';
import { table } from '../text/table';
import { instant } from '../text/values';
import { pricesUpdate } from './prices-update';

const { list, history, set, withdraw } = setPriceOperations;

const origins: Record<ToldPrice['origin'], string> = {
  ...{ file: 'from the file', settings: 'set', import: 'an import', release: 'the release' },
};

/** `prices list`: what models cost of which an operator says it. */
function pricesList({ gateway, output }: Surroundings): Command {
  return new Command('list')
    .description('show prices that are set, imported or from tollgate.yaml, and those that are to come')
    .argument('[model]', 'only of this model, whoever says it')
    .option('--json', 'print JSON')
    .action(async (model: string | undefined, { json }: { json?: boolean }) => {
      const { prices } = await gateway.call(list, { model });
      output.show({ prices }, json, () =>
        prices.length === 0
          ? 'Nobody said what a model costs: the prices are those of the release.'
          : pricesText(prices),
      );
    });
}

function pricesText(prices: readonly ToldPrice[]): string {
  const lines = prices.flatMap(({ model, origin, prices: sheet, next }) => [
    [model, 'now', sheetText(sheet), origins[origin]],
    ...next.map((each) => [model, `from ${instant(each.from)}`, sheetText(each.prices), each.isSet ? 'set' : '']),
  ]);
  return table(['model', 'holds', 'dollars per million tokens', 'who says it'], lines);
}

const rateOptions = [
  ['--input <usd>', 'input'],
  ['--output <usd>', 'output'],
  ['--cached-input <usd>', 'input that was read from a cache'],
  ['--cache-write-5m <usd>', 'input that was written to a cache, for the shorter time'],
  ['--cache-write-1h <usd>', 'the same, for the longer time'],
  ['--reasoning <usd>', 'reasoning'],
  ['--audio-input <usd>', 'sound that is heard'],
  ['--audio-output <usd>', 'sound that is made'],
] as const;

interface SetOptions extends Partial<Record<keyof PriceSheet, string>> {
  sheet?: string;
  at?: number;
  reason?: string;
  dryRun: boolean;
  json?: boolean;
}

/** `prices set`: what a model costs from an instant on, as a whole. */
function pricesSet({ gateway, output, actor }: Surroundings): Command {
  const command = new Command('set')
    .description(
      'set what a model costs from an instant on, in dollars per million tokens; a kind of tokens that is not named costs what input or output does',
    )
    .argument('<model>', 'its id');
  for (const [flags, what] of rateOptions) command.option(flags, what);
  return withWhen(command)
    .option('--per-request <usd>', 'for each request')
    .option(
      '--sheet <file>',
      'a whole price as JSON in place of these, in the words of tollgate.yaml: longContext and terms, too',
    )
    .action(async (model: string, { sheet, at: from, reason, dryRun, json, ...rates }: SetOptions) => {
      const prices = sheet === undefined ? typedSheet(rates) : await readSheet(sheet, rates);
      await put({ gateway, output, actor }, { model, prices, from, reason, dryRun }, json);
    });
}

/** `prices remove`: from an instant on a model costs what it would cost had nobody set anything. */
function pricesRemove({ gateway, output, actor }: Surroundings): Command {
  return withWhen(new Command('remove'))
    .description('have a model cost again what the release, or an import, says, from an instant on')
    .argument('<model>', 'its id')
    .action(async (model: string, { at: from, reason, dryRun, json }: SetOptions) => {
      await put({ gateway, output, actor }, { model, prices: null, from, reason, dryRun }, json);
    });
}

/** `prices withdraw`: takes a price back that is still to come. */
function pricesWithdraw({ gateway, output, actor }: Surroundings): Command {
  return new Command('withdraw')
    .description('take a price back that is to begin in more than five minutes: it never was')
    .argument('<price>', 'its id, as prices history shows it')
    .option('--reason <text>', 'why, for the audit log')
    .option('--json', 'print JSON')
    .action(async (id: string, { reason, json }: { reason?: string; json?: boolean }) => {
      const asked = { id, reason };
      const { setPrice } = await doRecorded({ gateway, actor }, withdraw, asked);
      output.show(
        { setPrice },
        json,
        () => `The price of ${setPrice.model} that was to begin at ${instant(setPrice.from)} is taken back.`,
      );
    });
}

/** `prices history`: every price that was set, the newest first. */
function pricesHistory({ gateway, output }: Surroundings): Command {
  return new Command('history')
    .description('show which prices were set, by whom, when and why, the newest first; those that were taken back too')
    .argument('[model]', 'only of this model')
    .option('--limit <number>', 'how many', readPageSize(500), 50)
    .option('--json', 'print JSON')
    .action(async (model: string | undefined, { limit, json }: { limit: number; json?: boolean }) => {
      const { prices } = await gateway.call(history, { model, limit });
      output.show({ prices }, json, () =>
        prices.length === 0
          ? 'No price was ever set.'
          : table(
              ['id', 'model', 'from', 'dollars per million tokens', 'set', 'who', 'why', 'taken back'],
              prices.map((one) => [
                ...[one.id, one.model, instant(one.from), one.prices ? sheetText(one.prices) : 'as it would otherwise'],
                ...[instant(one.setAt), one.setBy, one.reason ?? ''],
                one.withdrawnAt === null ? '' : `${instant(one.withdrawnAt)} by ${one.withdrawnBy ?? ''}`,
              ]),
            ),
      );
    });
}

/** When it begins, why, and whether it is only looked at. */
export function withWhen(command: Command): Command {
  return command
    .option(
      '--at <instant>',
      'when it begins, five minutes from now at the earliest: 2027-01-31T00:00Z, or 2h from now; 10m without it, or at once where there was none',
      (text) => readFutureMs(text),
    )
    .option('--dry-run', 'show what would change, and write nothing', false)
    .option('--reason <text>', 'why, for the history')
    .option('--json', 'print JSON');
}

async function put(
  { gateway, output, actor }: Pick<Surroundings, 'gateway' | 'output' | 'actor'>,
  asked: Omit<z.input<typeof set.request>, 'by'>,
  json: boolean | undefined,
): Promise<void> {
  const outcome = await doRecorded({ gateway, actor }, set, asked);
  output.show(outcome, json, () => outcomeText(asked.model, outcome, asked.dryRun === true));
}

function outcomeText(model: string, outcome: z.output<typeof set.reply>, dryRun: boolean): string {
  const { applied, setPrice, from, isKnown, changes } = outcome;
  const strange = isKnown ? [] : [`The catalog has no model ${model} now: this is the price of one that is to come.`];
  const done = applied
    ? `Set as ${setPrice?.id ?? ''}: it holds from ${instant(from)} on. What was used before keeps its price.`
    : setPrice
      ? `It was set so already (${setPrice.id}). Nothing was changed.`
      : `Nothing was written. It would hold from ${instant(from)} on.`;
  const nothing = applied || dryRun ? ['It costs the same as before.'] : [];
  return [...(changes.length > 0 ? [rateTable(changes)] : nothing), ...strange, done].join('\n\n');
}

/** @throws Refusal where it is no price. */
function typedSheet(rates: Partial<Record<keyof PriceSheet, string>>): PriceSheet {
  if (rates.input === undefined || rates.output === undefined)
    throw new Refusal('A price needs --input and --output, or --sheet.', exitCodes.usage);
  return parsedSheet(rates, 'The price');
}

async function readSheet(path: string, rates: object): Promise<PriceSheet> {
  if (Object.keys(rates).length > 0) throw new Refusal('Give --sheet or single rates, not both.', exitCodes.usage);
  try {
    return parsedSheet(JSON.parse(await readFile(path, 'utf8')), path);
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw new Refusal(
      `${path} cannot be read: ${error instanceof Error ? error.message : String(error)}.`,
      exitCodes.usage,
    );
  }
}

function parsedSheet(said: unknown, what: string): PriceSheet {
  const read = statedPriceSheet.safeParse(said);
  if (read.success) return read.data;
  throw new Refusal(`${what} cannot be used: ${z.prettifyError(read.error)}`, exitCodes.usage);
}

export const commands: readonly MakeCommand[] = [
  pricesList,
  pricesSet,
  pricesRemove,
  pricesWithdraw,
  pricesHistory,
  pricesUpdate,
];
