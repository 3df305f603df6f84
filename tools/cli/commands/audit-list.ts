import { administrationOperations } from '@tollgate/contracts/accounts';
import { Command } from 'commander';
import { readPageSize } from '../arguments/arguments';
import type { MakeCommand, Surroundings } from '../gateway';
import { table } from '../text/table';
import { instant } from '../text/values';

export const commands: readonly MakeCommand[] = [auditList];

interface Options {
  account?: string;
  action?: string;
  about?: string;
  limit: number;
  json?: boolean;
}

/** `audit list`: who did what, the newest first. */
function auditList({ gateway, output }: Surroundings): Command {
  return new Command('list')
    .description('show the newest lines of the audit log')
    .option('--account <id>', 'only of this account')
    .option('--action <action>', 'only of this kind, such as key-created')
    .option('--about <text>', 'only where this is a part of who acted, or of the name of the account or key')
    .option('--limit <number>', 'how many', readPageSize(500), 50)
    .option('--json', 'print JSON')
    .action(async ({ account, action, about, limit, json }: Options) => {
      const wish = { accountId: account, action, query: about, limit };
      const { lines } = await gateway.call(administrationOperations.listAudit, wish);
      output.show({ lines }, json, () =>
        lines.length === 0
          ? 'There are no such lines.'
          : table(
              ['at', 'who', 'what', 'account', 'key', 'detail'],
              lines.map(({ at, actor, action: what, accountId, keyId, detail }) => [
                ...[instant(at), actor, what, accountId, keyId ?? '', JSON.stringify(detail)],
              ]),
            ),
      );
    });
}
