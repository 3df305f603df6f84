import { Command } from 'commander';
import type { Surroundings } from '../gateway';
import { everyDeadLetter } from './every-dead-letter';
import { table } from '../text/table';
import { instant, limit } from '../text/values';

/** `dead-letters list`: usage messages that could not be stored, the oldest first. */
export function deadLettersList({ gateway, output }: Surroundings): Command {
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
