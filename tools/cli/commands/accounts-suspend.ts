import { accountsOperations } from '@tollgate/contracts';
import { Command } from 'commander';
import type { Surroundings } from '../gateway';
import { accountFacts } from '../text/account';

/** `accounts suspend`: refuses all keys of an account until it is approved again. */
export function accountsSuspend({ gateway, output, actor }: Surroundings): Command {
  return new Command('suspend')
    .description('refuse all keys of an account until it is approved again')
    .argument('<id or email>', 'the account')
    .option('--json', 'print JSON')
    .action(async (account: string, { json }: { json?: boolean }) => {
      const reply = await gateway.call(accountsOperations.setAccountStatus, { account, status: 'suspended', actor });
      output.show(reply, json, () => `The account is suspended.\n\n${accountFacts(reply.account)}`);
    });
}
