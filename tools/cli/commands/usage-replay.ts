import { ledgerOperations } from '@tollgate/contracts/metering';
import { Command } from 'commander';
import type { z } from 'zod';
import { readDurationS } from '../arguments/arguments';
import type { Gateway, Surroundings } from '../gateway';
import { limit } from '../text/values';

/** A step stores some thousands of events. */
const stepTimeoutMs = 60_000;

interface Options {
  since: number;
  json?: boolean;
}

/** Events that are kept, those of them that were missing and are stored now, and what cannot be read. */
export interface Replayed {
  received: number;
  stored: number;
  problems: string[];
}

/**
 * `usage replay`: stores again what JetStream keeps of acknowledged usage, after the database lost some of
 * it.
 */
export function usageReplay({ gateway, output }: Surroundings): Command {
  return new Command('replay')
    .description('store again what the database lost: usage stays in JetStream for six hours after it was stored')
    .requiredOption('--since <time>', 'how far back, such as 30m or 6h', readDurationS)
    .option('--json', 'print JSON')
    .action(async ({ since, json }: Options) => {
      const sum = await replayKept(gateway, Date.now() - since * 1_000);
      output.show(sum, json, () => replayText(sum));
    });
}

/** Stores again what JetStream keeps since then, step by step. */
export async function replayKept(gateway: Gateway, sinceMs: number): Promise<Replayed> {
  const sum: Replayed = { received: 0, stored: 0, problems: [] };
  for (let from: number | null = null; ;) {
    const step: z.output<typeof ledgerOperations.replayUsage.reply> = await gateway.call(
      ledgerOperations.replayUsage,
      { sinceMs, from },
      { timeoutMs: stepTimeoutMs },
    );
    sum.received += step.received;
    sum.stored += step.stored;
    sum.problems.push(...step.problems);
    from = step.next;
    if (from === null) return sum;
  }
}

export function replayText({ received, stored, problems }: Replayed): string {
  const counts = `${limit(received)} events are kept since then; ${limit(stored)} of them were missing and are stored now.`;
  return [counts, ...problems].join('\n');
}
