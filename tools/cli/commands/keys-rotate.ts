import { accountsOperations } from '@tollgate/contracts';
import { Command } from 'commander';
import { timeOption } from '../arguments/time';
import type { Surroundings } from '../gateway';
import { newKey } from '../text/key';
import { instant } from '../text/values';

interface Options {
  overlap: number;
  json?: boolean;
}

/** `keys rotate`: replaces a key by a new one; both work during the overlap. */
export function keysRotate({ gateway, output, actor }: Surroundings): Command {
  return new Command('rotate')
    .description('replace an API key by a new one with the same settings')
    .argument('<key id>', 'the id that keys list shows')
    .addOption(
      timeOption('--overlap <time>', 'how long the old key still works, e.g. 90s, 24h, 7d; 0 stops it at once', '24h'),
    )
    .option('--json', 'print JSON')
    .action(async (keyId: string, { overlap, json }: Options) => {
      const reply = await gateway.call(accountsOperations.rotateKey, { keyId, overlapS: overlap, actor });
      output.show(reply, json, () => {
        const { oldKey } = reply;
        const fate =
          oldKey.keyStatus === 'revoked' ? 'does not work any more' : `works until ${instant(oldKey.expiresAt)}`;
        return `${newKey(reply.apiKey, reply.key, Date.now())}\n\nThe old key ${oldKey.display} ${fate}.`;
      });
    });
}
