import { createApiKey } from '@tollgate/contracts';
import { readEnvironment, serviceVariables } from '@tollgate/configuration';
import { Command } from 'commander';
import type { Surroundings } from '../gateway';

const variables = serviceVariables.accounts.pick({ TOLLGATE_KEY_PREFIX: true });

/** `keys make`: prints a key that is stored nowhere, for TOLLGATE_INIT_KEY. Asks no gateway. */
export function keysMake({ environment, output }: Surroundings): Command {
  return new Command('make')
    .description('make an API key that no gateway knows yet, for TOLLGATE_INIT_KEY; asks nobody')
    .option('--prefix <prefix>', 'what it begins with, before _sk_ (TOLLGATE_KEY_PREFIX when absent)')
    .option('--json', 'print JSON')
    .action(({ prefix, json }: { prefix?: string; json?: boolean }) => {
      const { TOLLGATE_KEY_PREFIX } = readEnvironment(variables, {
        ...environment,
        ...(prefix !== undefined && { TOLLGATE_KEY_PREFIX: prefix }),
      });
      const apiKey = createApiKey(TOLLGATE_KEY_PREFIX);
      output.show({ apiKey }, json, () => apiKey);
    });
}
