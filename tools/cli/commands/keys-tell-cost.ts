import { accountsOperations } from '@tollgate/contracts';
import { Argument, Command } from 'commander';
import type { Surroundings } from '../gateway';

/** `keys tell-cost`: switches on or off that each request of a key is told its charge. */
export function keysTellCost({ gateway, output, actor }: Surroundings): Command {
  return new Command('tell-cost')
    .description('tell each request of a key its charge unasked, or no more (x-tollgate-cost)')
    .argument('<key id>', 'the id that keys list shows')
    .addArgument(new Argument('<on or off>').choices(['on', 'off']))
    .option('--json', 'print JSON')
    .action(async (keyId: string, wanted: 'on' | 'off', { json }: { json?: boolean }) => {
      const reply = await gateway.call(accountsOperations.updateKey, { keyId, tellCost: wanted === 'on', actor });
      const { display, name, tellCost } = reply.key;
      output.show(reply, json, () =>
        tellCost
          ? `Each request of ${display} (${name}) is told its charge.`
          : `Requests of ${display} (${name}) are told their charge where they ask for it.`,
      );
    });
}
