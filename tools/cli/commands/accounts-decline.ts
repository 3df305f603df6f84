import { accountsOperations } from '@tollgate/contracts';
import { Command } from 'commander';
import type { Surroundings } from '../gateway';
import { accountFacts } from '../text/account';

/** `accounts decline`: refuses a request for access. */
export function accountsDecline({ gateway, output, actor }: Surroundings): Command {
  return new Command('decline')
    .description('refuse a request for access')
    .argument('<id or email>', 'the account')
    .option('--json', 'print JSON')
    .action(async (account: string, { json }: { json?: boolean }) => {
      const reply = await gateway.call(accountsOperations.setAccountStatus, { account, status: 'declined', actor });
      output.show(reply, json, () => `The request is declined.\n\n${accountFacts(reply.account)}`);
    });
}
