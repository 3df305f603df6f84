import type { PriceFactors } from '@tollgate/contracts';
import { largeMarkup, setFactorOperations, type ToldFactors } from '@tollgate/contracts/catalog';
import { Command } from 'commander';
import { z } from 'zod';
import { readPageSize } from '../arguments/arguments';
import { exitCodes, Refusal } from '../failure';
import { doRecorded, type MakeCommand, type Surroundings } from '../gateway';
import { table } from '../text/table';
import { instant } from '../text/values';
import { withWhen } from './prices';

export const commands: readonly MakeCommand[] = [
  factorsList,
  factorsSet,
  factorsRemove,
  factorsWithdraw,
  factorsHistory,
];

const { list, history, set, withdraw } = setFactorOperations;

const origins: Record<ToldFactors['origin'], string> = { file: 'from the file', settings: 'set' };

/** `factors list`: which deployments have a discount or a markup. */
function factorsList({ gateway, output }: Surroundings): Command {
  return new Command('list')
    .description('show discounts and markups of deployments, set or from tollgate.yaml, and those that are to come')
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: boolean }) => {
      const { deployments } = await gateway.call(list, {});
      const lines = deployments.flatMap(({ deployment, origin, factors, next }) => [
        // Nobody said yet that it has none.
        [deployment, 'now', factorsText(factors), factors ? origins[origin] : ''],
        ...next.map((each) => [deployment, `from ${instant(each.from)}`, factorsText(each.factors), 'set']),
      ]);
      output.show({ deployments }, json, () =>
        lines.length === 0
          ? 'No deployment has a discount or a markup: each costs what its model does.'
          : table(['deployment', 'holds', 'beside the price of the model', 'who says it'], lines),
      );
    });
}

interface When {
  at?: number;
  reason?: string;
  dryRun: boolean;
  json?: boolean;
}

/** `factors set`: the discount and the markup of a deployment from an instant on. */
function factorsSet({ gateway, output, actor }: Surroundings): Command {
  return withWhen(new Command('set'))
    .description(
      'set what a deployment costs beside the price of its model, from an instant on; what is not named it has none of',
    )
    .argument('<deployment>', 'its id, as deployments list shows it, such as openai:gpt-5.4')
    .option('--discount <fraction>', 'what your contract takes off each charge: 0.15 for 15 %')
    .option('--markup <fraction>', 'what comes on top of what is left: 0.2 for 20 %')
    .action(async (deployment: string, { discount, markup, ...when }: When & PriceFactors) => {
      const read = set.request.shape.factors.safeParse({ discount, markup });
      if (!read.success) throw new Refusal(`They cannot be used: ${z.prettifyError(read.error)}`, exitCodes.usage);
      await put({ gateway, output, actor }, deployment, read.data, when);
    });
}

/** `factors remove`: from an instant on a deployment costs what its model does. */
function factorsRemove({ gateway, output, actor }: Surroundings): Command {
  return withWhen(new Command('remove'))
    .description('have a deployment cost what its model does, from an instant on')
    .argument('<deployment>', 'its id')
    .action((deployment: string, when: When) => put({ gateway, output, actor }, deployment, null, when));
}

/** `factors withdraw`: takes back what is still to come. */
function factorsWithdraw({ gateway, output, actor }: Surroundings): Command {
  return new Command('withdraw')
    .description('take back what is to begin in more than five minutes: it never was')
    .argument('<id>', 'as factors history shows it')
    .option('--reason <text>', 'why, for the audit log')
    .option('--json', 'print JSON')
    .action(async (id: string, { reason, json }: { reason?: string; json?: boolean }) => {
      const asked = { id, reason };
      const { setFactors } = await doRecorded({ gateway, actor }, withdraw, asked);
      const { deployment, from } = setFactors;
      output.show({ setFactors }, json, () => `What ${deployment} was to have from ${instant(from)} on is taken back.`);
    });
}

/** `factors history`: all that was set, the newest first. */
function factorsHistory({ gateway, output }: Surroundings): Command {
  return new Command('history')
    .description('show which discounts and markups were set, by whom, when and why, the newest first')
    .argument('[deployment]', 'only of this one')
    .option('--limit <number>', 'how many', readPageSize(500), 50)
    .option('--json', 'print JSON')
    .action(async (deployment: string | undefined, { limit, json }: { limit: number; json?: boolean }) => {
      const { factors } = await gateway.call(history, { deployment, limit });
      output.show({ factors }, json, () =>
        factors.length === 0
          ? 'No discount or markup was ever set.'
          : table(
              ['id', 'deployment', 'from', 'beside the price of the model', 'set', 'who', 'why', 'taken back'],
              factors.map((one) => [
                ...[one.id, one.deployment, instant(one.from), factorsText(one.factors)],
                ...[instant(one.setAt), one.setBy, one.reason ?? ''],
                one.withdrawnAt === null ? '' : `${instant(one.withdrawnAt)} by ${one.withdrawnBy ?? ''}`,
              ]),
            ),
      );
    });
}

async function put(
  { gateway, output, actor }: Pick<Surroundings, 'gateway' | 'output' | 'actor'>,
  deployment: string,
  factors: PriceFactors | null,
  { at: from, reason, dryRun, json }: When,
): Promise<void> {
  const asked = { deployment, factors, from, reason, dryRun };
  const outcome = await doRecorded({ gateway, actor }, set, asked);
  output.show(outcome, json, () => outcomeText(deployment, factors, outcome));
}

function outcomeText(deployment: string, factors: PriceFactors | null, outcome: z.output<typeof set.reply>): string {
  const { applied, setFactors, from, isKnown, before } = outcome;
  const large = largeMarkup(factors ?? {});
  const strange = [
    ...(isKnown ? [] : [`The catalog has no deployment ${deployment} now: this is for one that is to come.`]),
    ...(large === null ? [] : [large]),
  ];
  const done = applied
    ? `Set as ${setFactors?.id ?? ''}: it holds from ${instant(from)} on. What started before keeps its own.`
    : setFactors
      ? `It was set so already (${setFactors.id}). Nothing was changed.`
      : `Nothing was written. It would hold from ${instant(from)} on.`;
  return [`${deployment}: ${factorsText(before)} → ${factorsText(factors)}`, ...strange, done].join('\n\n');
}

function factorsText(factors: PriceFactors | null): string {
  const { discount, markup } = factors ?? {};
  const said = [...(discount === undefined ? [] : [`discount ${discount}`]), ...(markup ? [`markup ${markup}`] : [])];
  return said.join(', ') || 'nothing';
}
