import { ledgerOperations } from '@tollgate/contracts';
import { Command } from 'commander';
import { readLetterNumber } from '../arguments/dead-letter-number';
import type { Surroundings } from '../gateway';
import { facts, printable } from '../text/table';
import { instant, limit } from '../text/values';

/** `dead-letters show`: one letter with its body as it came. */
export function deadLettersShow({ gateway, output }: Surroundings): Command {
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
