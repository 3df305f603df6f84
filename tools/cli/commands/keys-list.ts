import { accountsOperations } from '@tollgate/contracts';
import type { KeySummary } from '@tollgate/contracts';
import { Command } from 'commander';
import type { Surroundings } from '../gateway';
import { keyTable } from '../text/key';

interface Options {
  account?: string;
  json?: boolean;
}

/** `keys list`: every key, or those of one account, the newest first. */
export function keysList({ gateway, output }: Surroundings): Command {
  return new Command('list')
    .description('show API keys, the newest first')
    .option('--account <id>', 'only the keys of this account')
    .option('--json', 'print JSON')
    .action(async ({ account, json }: Options) => {
      const keys: KeySummary[] = [];
      let after: string | undefined;
      do {
        const page = await gateway.call(accountsOperations.listKeys, { accountId: account, limit: 500, after });
        keys.push(...page.keys);
        after = page.next ?? undefined;
      } while (after !== undefined);
      output.show({ keys }, json, () => (keys.length === 0 ? 'There are no keys.' : keyTable(keys, Date.now())));
    });
}
