import { ledgerOperations } from '@tollgate/contracts';
import { Command } from 'commander';
import { readLetterNumber } from '../arguments/dead-letter-number';
import type { Surroundings } from '../gateway';

/** `dead-letters drop`: removes a letter for good. */
export function deadLettersDrop({ gateway, output }: Surroundings): Command {
  return new Command('drop')
    .description('remove a usage message that could not be stored, for good')
    .argument('<number>', 'the number that dead-letters list shows', readLetterNumber)
    .option('--json', 'print JSON')
    .action(async (sequence: number, { json }: { json?: boolean }) => {
      const reply = await gateway.call(ledgerOperations.dropDeadLetter, { sequence });
      output.show(reply, json, () => `Removed dead letter ${sequence}.`);
    });
}
