import { meteringOperations } from '@tollgate/contracts/metering';
import { Command } from 'commander';
import { setTimeout as delay } from 'node:timers/promises';
import { timeOption } from '../arguments/arguments';
import { Refusal } from '../failure';
import type { Gateway, Surroundings } from '../gateway';
import { limit } from '../text/values';
import { replayKept, replayText } from './usage-replay';

const lookEveryMs = 250;
/** JetStream keeps nothing longer than six hours. */
const keptMs = 7 * 3_600_000;

/** In seconds. `still`: for so long nothing may have come. */
interface Options {
  still: number;
  timeout: number;
  json?: boolean;
}

/** `waitedAtFirst`: messages that waited when it began. */
interface Drained {
  waitedAtFirst: number;
  deadLetters: number;
}

/**
 * `usage drain`: waits until this NATS holds no usage that the ledger lacks, so that another may take its
 * place.
 * @throws Refusal when usage still comes or waits at the end of the time, when dead letters or what cannot be
 * stored are left, or when metering does not tell what comes.
 */
export function usageDrain({ gateway, output }: Surroundings): Command {
  return new Command('drain')
    .description('wait until NATS holds no usage that is not in the ledger, before another NATS takes its place')
    .addOption(timeOption('--still <time>', 'for how long no usage may have come', '5s'))
    .addOption(timeOption('--timeout <time>', 'how long to wait', '2m'))
    .option('--json', 'print JSON')
    .action(async ({ json, ...times }: Options) => {
      const { waitedAtFirst, deadLetters } = await untilEmpty(gateway, times);
      const kept = await replayKept(gateway, Date.now() - keptMs);
      output.show({ waitedAtFirst, deadLetters, kept }, json, () =>
        [
          `Nothing waits, and nothing came for ${times.still} s; ${limit(waitedAtFirst)} messages waited at first.`,
          `Of six hours, ${replayText(kept)}`,
        ].join('\n'),
      );
      if (kept.problems.length > 0)
        throw new Refusal('Usage of the last six hours is in this NATS that cannot be read or stored, as told above.');
      if (deadLetters > 0)
        throw new Refusal(
          `${limit(deadLetters)} dead letters are in this NATS and nowhere else: dead-letters replay stores what can be read now, dead-letters show prints the rest, dead-letters drop removes it.`,
        );
    });
}

async function untilEmpty(gateway: Gateway, { still, timeout }: Options): Promise<Drained> {
  const giveUpAt = Date.now() + timeout * 1_000;
  let waitedAtFirst: number | null = null;
  let seen: number | undefined;
  let stillSince = Date.now();
  for (;;) {
    const { pendingEvents, deadLetters, received } = await gateway.call(meteringOperations.status, {});
    if (received === undefined)
      throw new Refusal(
        'This metering is of an older release, and does not tell whether usage still comes: upgrade it first.',
      );
    const now = Date.now();
    waitedAtFirst ??= pendingEvents;
    if (received !== seen) stillSince = now;
    seen = received;
    if (pendingEvents === 0 && now - stillSince >= still * 1_000) return { waitedAtFirst, deadLetters };
    if (now > giveUpAt)
      throw new Refusal(
        pendingEvents > 0
          ? `${limit(pendingEvents)} messages of usage still wait: does metering reach its database?`
          : 'Usage still comes in: stop edge, then inference, and then drain.',
      );
    await delay(lookEveryMs);
  }
}
