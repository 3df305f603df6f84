import { type DeadLetter, ledgerOperations } from '@tollgate/contracts/metering';
import { Command, InvalidArgumentError } from 'commander';
import type { z } from 'zod';
import { Refusal } from '../failure';
import type { Gateway, MakeCommand, Surroundings } from '../gateway';
import { facts, printable, table } from '../text/table';
import { instant, limit } from '../text/values';
import { pages } from '../pages';

/** `dead-letters list`: usage messages that could not be stored, the oldest first. */
function deadLettersList({ gateway, output }: Surroundings): Command {
  return new Command('list')
    .description('show usage messages that could not be stored, the oldest first')
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: boolean }) => {
      const letters = await everyDeadLetter(gateway);
      output.show({ letters }, json, () => {
        if (letters.length === 0) return 'There are no dead letters.';
        const rows = letters.map((letter) => [
          String(letter.sequence),
          instant(letter.at),
          limit(letter.bytes),
          letter.reason,
        ]);
        return table(['number', 'since', 'bytes', 'reason'], rows);
      });
    });
}

/** `dead-letters show`: one letter with its body as it came. */
function deadLettersShow({ gateway, output }: Surroundings): Command {
  return new Command('show')
    .description('show one usage message that could not be stored')
    .argument('<number>', 'the number that dead-letters list shows', readLetterNumber)
    .option('--json', 'print JSON')
    .action(async (sequence: number, { json }: { json?: boolean }) => {
      const letter = await gateway.call(ledgerOperations.showDeadLetter, { sequence });
      output.show(letter, json, () => {
        const head = facts([
          ['number', String(letter.sequence)],
          ['since', instant(letter.at)],
          ['bytes', limit(letter.bytes)],
          ['reason', letter.reason],
        ]);
        return `${head}\n\n${printable(letter.body)}`;
      });
    });
}

/** Metering stores up to some thousand events of a letter. */
const replayTimeoutMs = 60_000;

type Replayed = z.output<typeof ledgerOperations.replayDeadLetter.reply> & { sequence: number };

/**
 * `dead-letters replay`: stores what can be read now, each event once.
 * @throws Refusal when something still cannot, so that a script notices.
 */
function deadLettersReplay({ gateway, output }: Surroundings): Command {
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

/** `dead-letters drop`: removes a letter for good. */
function deadLettersDrop({ gateway, output }: Surroundings): Command {
  return new Command('drop')
    .description('remove a usage message that could not be stored, for good')
    .argument('<number>', 'the number that dead-letters list shows', readLetterNumber)
    .option('--json', 'print JSON')
    .action(async (sequence: number, { json }: { json?: boolean }) => {
      const reply = await gateway.call(ledgerOperations.dropDeadLetter, { sequence });
      output.show(reply, json, () => `Removed dead letter ${sequence}.`);
    });
}

export const commands: readonly MakeCommand[] = [deadLettersList, deadLettersShow, deadLettersReplay, deadLettersDrop];

/** A page is read from JetStream letter by letter. */
const pageTimeoutMs = 30_000;

/** All dead letters, the oldest first. */
async function everyDeadLetter(gateway: Gateway): Promise<DeadLetter[]> {
  const letters: DeadLetter[] = [];
  const read = (after = 0) => gateway.call(ledgerOperations.listDeadLetters, { after }, { timeoutMs: pageTimeoutMs });
  for await (const page of pages(read)) letters.push(...page.letters);
  return letters;
}

/** Reads the number of a dead letter, or `all`. */
function readLetterNumbers(text: string): number | 'all' {
  return text === 'all' ? text : readLetterNumber(text);
}

/** Reads the number of a dead letter. */
function readLetterNumber(text: string): number {
  const number = /^[1-9]\d*$/.test(text) ? Number(text) : NaN;
  if (!Number.isSafeInteger(number)) throw new InvalidArgumentError('Give a number that dead-letters list shows.');
  return number;
}
