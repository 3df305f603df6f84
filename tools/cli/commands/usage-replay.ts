import { ledgerOperations } from '@tollgate/contracts';
import { Command } from 'commander';
import type { z } from 'zod';
import { readDurationS } from '../arguments/time';
import type { Surroundings } from '../gateway';
import { limit } from '../text/values';

/** A step stores up to 4,096 events. */
const stepTimeoutMs = 60_000;

interface Options {
  since: number;
  json?: boolean;
}

/** `usage replay`: stores again what JetStream keeps of acknowledged usage, after the database lost some of it. */
export function usageReplay({ gateway, output }: Surroundings): Command {
  return new Command('replay')
    .description('store again what the database lost: usage stays in JetStream for six hours after it was stored')
    .requiredOption('--since <time>', 'how far back, such as 30m or 6h', readDurationS)
    .option('--json', 'print JSON')
    .action(async ({ since, json }: Options) => {
      const sinceMs = Date.now() - since * 1_000;
      const sum = { received: 0, stored: 0, problems: [] as string[] };
      for (let from: number | null = null; ;) {
        const options = { timeoutMs: stepTimeoutMs };
        const step: z.output<typeof ledgerOperations.replayUsage.reply> = await gateway.call(
          ledgerOperations.replayUsage,
          { sinceMs, from },
          options,
        );
        sum.received += step.received;
        sum.stored += step.stored;
        sum.problems.push(...step.problems);
        from = step.next;
        if (from === null) break;
      }
      output.show(sum, json, () =>
        [
          `${limit(sum.received)} events are kept since then; ${limit(sum.stored)} of them were missing and are stored now.`,
          ...sum.problems,
        ].join('\n'),
      );
    });
}
