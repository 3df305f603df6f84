import { decimalFromNanoUsd } from '@tollgate/contracts';
import { type ExplainedEvent, ledgerOperations, meteringOperations } from '@tollgate/contracts/metering';
import { Command } from 'commander';
import { doubtsInWords, priceDoubts } from '../catalog/price-doubts';
import { Refusal } from '../failure';
import { doRecorded, type MakeCommand, type Surroundings } from '../gateway';
import { explanation } from '../text/explanation';
import { facts, table } from '../text/table';
import { instant, limit } from '../text/values';
import { usageDrain } from './usage-drain';
import { usageExport } from './usage-export';
import { usageReplay } from './usage-replay';

/** A recount reads every raw event: far longer than an ordinary question. */
const recountTimeoutMs = 600_000;

interface RecountOptions {
  key?: string;
  json?: boolean;
}

/**
 * `usage recount`: counts the raw events again and compares them with what reports show.
 * @throws Refusal when they differ, so that a script notices.
 */
function usageRecount({ gateway, output }: Surroundings): Command {
  return new Command('recount')
    .description('count the raw usage events again and compare them with the reports')
    .option('--key <key id>', 'only this key (all keys when absent)')
    .option('--json', 'print JSON')
    .action(async ({ key, json }: RecountOptions) => {
      const reply = await gateway.call(meteringOperations.recount, { keyId: key }, { timeoutMs: recountTimeoutMs });
      output.show(reply, json, () => {
        const counted = facts([
          ['events', limit(reply.events)],
          ['requests', limit(reply.requests)],
          ['input tokens', limit(reply.inputTokens)],
          ['output tokens', limit(reply.outputTokens)],
          ['cost', `$${decimalFromNanoUsd(BigInt(reply.costNanoUsd))}`],
        ]);
        if (reply.differences.length === 0) return `The reports equal the events.\n\n${counted}`;
        const rows = reply.differences.map((d) => [d.keyId, d.model, d.field, d.events, d.rollups]);
        return `The reports DIFFER from the events.\n\n${counted}\n\n${table(['key', 'model', 'field', 'events', 'reports'], rows)}`;
      });
      if (reply.differences.length > 0)
        throw new Refusal('The reports and the events differ: please report this with the output above.');
    });
}

/** A request id that a caller chose is looked for among a month of events. */
const explainTimeoutMs = 600_000;

/**
 * `usage explain`: works the charge of an event out again, line by line.
 * @throws Refusal when it is not the stored one, so that a script notices.
 */
function usageExplain({ gateway, output }: Surroundings): Command {
  return new Command('explain')
    .description('show how a charge came about: each kind of token at its rate, and the attempts behind it')
    .argument('<event or request id>', 'an event id, or the x-request-id of an answer')
    .option('--json', 'print JSON')
    .action(async (id: string, { json }: { json?: boolean }) => {
      const reply = await gateway.call(ledgerOperations.explain, { id }, { timeoutMs: explainTimeoutMs });
      const known = await priceDoubts(gateway);
      output.show(reply, json, () =>
        reply.events
          .map((explained) => [
            explanation(explained),
            ...doubtsInWords({ ...explained, ...known.get(explained.event.model) }),
          ])
          .map((lines) => lines.join('\n'))
          .join('\n\n'),
      );
      const wrong = reply.events.filter((explained) => !isRight(explained));
      if (wrong.length > 0)
        throw new Refusal(
          `The charge of ${wrong.map(({ event }) => event.id).join(', ')} is not the stored one: please report this with the output above.`,
        );
    });
}

function isRight({ computedNanoUsd, storedNanoUsd }: ExplainedEvent): boolean {
  return computedNanoUsd === storedNanoUsd;
}

interface SweepOptions {
  forget?: boolean;
  json?: boolean;
}

/**
 * `usage sweep`: shows reservations of quota whose usage event never came.
 * @throws Refusal when there are some, so that a script notices; not with `--forget`.
 */
function usageSweep(surroundings: Surroundings): Command {
  const { output } = surroundings;
  return new Command('sweep')
    .description('compare reservations of quota with usage events and show what is missing')
    .option('--forget', 'remove what is shown, after you looked into it')
    .option('--json', 'print JSON')
    .action(async ({ forget = false, json }: SweepOptions) => {
      const reply = await doRecorded(surroundings, ledgerOperations.sweep, { forget });
      const { leases, count, tokens, pendingMessages } = reply;
      output.show(reply, json, () => {
        const waiting = `${limit(pendingMessages)} messages of usage wait to be stored.`;
        if (count === 0) return `Every reservation that ended is settled. ${waiting}`;
        const rows = leases.map((lease) => [
          lease.leaseId,
          lease.keyId,
          lease.edgeId,
          limit(lease.tokens),
          instant(lease.endedAt),
        ]);
        const sums = `${limit(count)} leases ended holding ${limit(tokens)} tokens that no usage event settled. ${waiting}`;
        return `${sums}\n\n${table(['lease', 'key', 'edge', 'tokens', 'ended'], rows)}${forget ? '\n\nThey are forgotten.' : ''}`;
      });
      if (count > 0 && !forget)
        throw new Refusal(
          'Usage may be missing: at most the tokens above. An edge that was killed also leaves tokens that no request used.\nLook into the logs of these edges, then remove the list with --forget.',
        );
    });
}

export const commands: readonly MakeCommand[] = [
  usageRecount,
  usageExplain,
  usageExport,
  usageReplay,
  usageDrain,
  usageSweep,
];
