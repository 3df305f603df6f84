import { accountsOperations } from '@tollgate/contracts';
import { Command } from 'commander';
import { gatherPatterns } from '../arguments/patterns';
import type { Surroundings } from '../gateway';

const none = 'none';

/** `keys tags`: what the requests of a key are called by in reports, from now on. */
export function keysTags({ gateway, output, actor }: Surroundings): Command {
  return new Command('tags')
    .description('tag each request of a key, for reports of who spent it')
    .argument('<key id>', 'the id that keys list shows')
    .argument('<tags>', `such as team=search,prod, in place of those that it has; or ${none}`)
    .option('--json', 'print JSON')
    .action(async (keyId: string, wanted: string, { json }: { json?: boolean }) => {
      const asked = wanted === none ? [] : gatherPatterns(wanted);
      const reply = await gateway.call(accountsOperations.updateKey, { keyId, tags: asked, actor });
      const { display, name, tags } = reply.key;
      output.show(reply, json, () =>
        tags.length === 0
          ? `Requests of ${display} (${name}) have no tags but their own.`
          : `Each request of ${display} (${name}) has the tags ${tags.join(', ')}.`,
      );
    });
}
