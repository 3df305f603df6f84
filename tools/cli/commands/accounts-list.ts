import { accountsOperations, accountStatus } from '@tollgate/contracts';
import type { Account } from '@tollgate/contracts';
import { Command, Option } from 'commander';
import type { Surroundings } from '../gateway';
import { accountTable } from '../text/account';

interface Options {
  status?: Account['status'];
  json?: boolean;
}

/** `accounts list`: every account, or those of one status, the newest first. */
export function accountsList({ gateway, output }: Surroundings): Command {
  return new Command('list')
    .description('show accounts, the newest first')
    .addOption(new Option('--status <status>', 'only accounts of this status').choices(accountStatus.options))
    .option('--json', 'print JSON')
    .action(async ({ status, json }: Options) => {
      const accounts: Account[] = [];
      let after: string | undefined;
      do {
        const page = await gateway.call(accountsOperations.listAccounts, { status, limit: 500, after });
        accounts.push(...page.accounts);
        after = page.next ?? undefined;
      } while (after !== undefined);
      output.show({ accounts }, json, () =>
        accounts.length === 0 ? 'There are no accounts.' : accountTable(accounts),
      );
    });
}
