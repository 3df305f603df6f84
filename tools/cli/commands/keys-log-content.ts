import { accountsOperations } from '@tollgate/contracts';
import { Argument, Command } from 'commander';
import type { Surroundings } from '../gateway';

/** `keys log-content`: switches on or off that the requests and answers of a key are logged. */
export function keysLogContent({ gateway, output, actor }: Surroundings): Command {
  return new Command('log-content')
    .description('log the requests and answers of a key, or no more (where contentLog of tollgate.yaml allows it)')
    .argument('<key id>', 'the id that keys list shows')
    .addArgument(new Argument('<on or off>').choices(['on', 'off']))
    .option('--json', 'print JSON')
    .action(async (keyId: string, wanted: 'on' | 'off', { json }: { json?: boolean }) => {
      const reply = await gateway.call(accountsOperations.updateKey, { keyId, logContent: wanted === 'on', actor });
      const { display, name, logContent } = reply.key;
      output.show(reply, json, () => `${logContent ? 'Logging' : 'Not logging'} requests of ${display} (${name}).`);
    });
}
