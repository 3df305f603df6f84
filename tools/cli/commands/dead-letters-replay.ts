import { ledgerOperations } from '@tollgate/contracts';
import { Command } from 'commander';
import type { z } from 'zod';
import { readLetterNumbers } from '../arguments/dead-letter-number';
import { Refusal } from '../failure';
import type { Gateway, Surroundings } from '../gateway';
import { everyDeadLetter } from './every-dead-letter';
import { table } from '../text/table';
import { limit } from '../text/values';

/** Metering stores up to some thousand events of a letter. */
const replayTimeoutMs = 60_000;

type Replayed = z.output<typeof ledgerOperations.replayDeadLetter.reply> & { sequence: number };

/**
 * `dead-letters replay`: stores what can be read now, each event once.
 * @throws Refusal when something still cannot, so that a script notices.
 */
export function deadLettersReplay({ gateway, output }: Surroundings): Command {
  return new Command('replay')
    .description('store the usage of dead letters that can be read now; every event counts once')
    .argument('<number or all>', 'the number that dead-letters list shows, or all', readLetterNumbers)
    .option('--json', 'print JSON')
    .action(async (which: number | 'all', { json }: { json?: boolean }) => {
      const replayed: Replayed[] = [];
      for (const sequence of await numbers(gateway, which)) {
        const options = { timeoutMs: replayTimeoutMs };
        replayed.push({ sequence, ...(await gateway.call(ledgerOperations.replayDeadLetter, { sequence }, options)) });
      }
      output.show({ replayed }, json, () => (replayed.length === 0 ? 'There are no dead letters.' : report(replayed)));
      const stuck = replayed.filter(({ removed }) => !removed);
      if (stuck.length > 0)
        throw new Refusal(
          `${limit(stuck.length)} letters stay, because something in them still cannot be stored. Remove one for good with dead-letters drop.`,
        );
    });
}

async function numbers(gateway: Gateway, which: number | 'all'): Promise<number[]> {
  return which === 'all' ? (await everyDeadLetter(gateway)).map(({ sequence }) => sequence) : [which];
}

function report(replayed: readonly Replayed[]): string {
  const rows = replayed.map(({ sequence, stored, alreadyStored, problems, removed }) => [
    String(sequence),
    limit(stored),
    limit(alreadyStored),
    removed ? 'removed' : 'stays',
    problems.join('; '),
  ]);
  return table(['number', 'stored', 'stored before', 'letter', 'what is wrong'], rows);
}
