import { readEnvironment, serviceVariables } from '@tollgate/configuration';
import { createApiKey } from '@tollgate/contracts';
import { accountsOperations, type KeySummary } from '@tollgate/contracts/accounts';
import { Command } from 'commander';
import { timeOption } from '../arguments/arguments';
import type { MakeCommand, Surroundings } from '../gateway';
import { keyTable, newKey } from '../text/key';
import { instant } from '../text/values';
import { pages } from '../pages';
import { keysChange, keysLimits, keysLogContent, keysProject, keysTags, keysTellCost } from './keys-change';
import { keysCreate } from './keys-create';

interface ListOptions {
  account?: string;
  json?: boolean;
}

/** `keys list`: every key, or those of one account, the newest first. */
function keysList({ gateway, output }: Surroundings): Command {
  return new Command('list')
    .description('show API keys, the newest first')
    .option('--account <id>', 'only the keys of this account')
    .option('--json', 'print JSON')
    .action(async ({ account, json }: ListOptions) => {
      const keys: KeySummary[] = [];
      const read = (after: string | undefined) =>
        gateway.call(accountsOperations.listKeys, { accountId: account, limit: 500, after });
      for await (const page of pages(read)) keys.push(...page.keys);
      output.show({ keys }, json, () => (keys.length === 0 ? 'There are no keys.' : keyTable(keys, Date.now())));
    });
}

const variables = serviceVariables.accounts.pick({ TOLLGATE_KEY_PREFIX: true });

/** `keys make`: prints a key that is stored nowhere, for TOLLGATE_INIT_KEY. Asks no gateway. */
function keysMake({ environment, output }: Surroundings): Command {
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

interface RotateOptions {
  overlap: number;
  json?: boolean;
}

/** `keys rotate`: replaces a key by a new one; both work during the overlap. */
function keysRotate({ gateway, output, actor }: Surroundings): Command {
  return new Command('rotate')
    .description('replace an API key by a new one with the same settings')
    .argument('<key id>', 'the id that keys list shows')
    .addOption(
      timeOption('--overlap <time>', 'how long the old key still works, e.g. 90s, 24h, 7d; 0 stops it at once', '24h'),
    )
    .option('--json', 'print JSON')
    .action(async (keyId: string, { overlap, json }: RotateOptions) => {
      const reply = await gateway.call(accountsOperations.rotateKey, { keyId, overlapS: overlap, actor });
      output.show(reply, json, () => {
        const { oldKey } = reply;
        const fate =
          oldKey.keyStatus === 'revoked' ? 'does not work any more' : `works until ${instant(oldKey.expiresAt)}`;
        return `${newKey(reply.apiKey, reply.key, Date.now())}\n\nThe old key ${oldKey.display} ${fate}.`;
      });
    });
}

/** `keys revoke`: stops a key for good. */
function keysRevoke({ gateway, output, actor }: Surroundings): Command {
  return new Command('revoke')
    .description('stop an API key for good; every edge refuses it within a second')
    .argument('<key id>', 'the id that keys list shows')
    .option('--json', 'print JSON')
    .action(async (keyId: string, { json }: { json?: boolean }) => {
      const reply = await gateway.call(accountsOperations.revokeKey, { keyId, actor });
      output.show(reply, json, () => `Revoked ${reply.key.display} (${reply.key.name}).`);
    });
}

export const commands: readonly MakeCommand[] = [
  keysCreate,
  keysMake,
  keysList,
  keysChange,
  keysLogContent,
  keysTags,
  keysProject,
  keysLimits,
  keysTellCost,
  keysRotate,
  keysRevoke,
];
