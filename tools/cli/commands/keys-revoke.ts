import { accountsOperations } from '@tollgate/contracts';
import { Command } from 'commander';
import type { Surroundings } from '../gateway';

/** `keys revoke`: stops a key for good. */
export function keysRevoke({ gateway, output, actor }: Surroundings): Command {
  return new Command('revoke')
    .description('stop an API key for good; every edge refuses it within a second')
    .argument('<key id>', 'the id that keys list shows')
    .option('--json', 'print JSON')
    .action(async (keyId: string, { json }: { json?: boolean }) => {
      const reply = await gateway.call(accountsOperations.revokeKey, { keyId, actor });
      output.show(reply, json, () => `Revoked ${reply.key.display} (${reply.key.name}).`);
    });
}
