import { decimalFromNanoUsd, meteringOperations } from '@tollgate/contracts';
import { Command } from 'commander';
import { Refusal } from '../failure';
import type { Surroundings } from '../gateway';
import { facts, table } from '../text/table';
import { limit } from '../text/values';

/** A recount reads every raw event: far longer than an ordinary question. */
const recountTimeoutMs = 600_000;

interface Options {
  key?: string;
  json?: boolean;
}

/**
 * `usage recount`: counts the raw events again and compares them with what reports show.
 * @throws Refusal when they differ, so that a script notices.
 */
export function usageRecount({ gateway, output }: Surroundings): Command {
  return new Command('recount')
    .description('count the raw usage events again and compare them with the reports')
    .option('--key <key id>', 'only this key (all keys when absent)')
    .option('--json', 'print JSON')
    .action(async ({ key, json }: Options) => {
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
