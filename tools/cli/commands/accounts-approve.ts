import { accountsOperations } from '@tollgate/contracts';
import { Command } from 'commander';
import type { Surroundings } from '../gateway';
import { accountFacts } from '../text/account';

interface Options {
  plan?: string;
  json?: boolean;
}

/**
 * `accounts approve`: lets an account generate, be it new, suspended or declined before; also changes the
 * plan of an active one.
 */
export function accountsApprove({ gateway, output, actor }: Surroundings): Command {
  return new Command('approve')
    .description('let an account use the gateway, or change its plan; its keys work at once')
    .argument('<id or email>', 'the account')
    .option('--plan <plan>', 'the plan it gets (as it is when absent)')
    .option('--json', 'print JSON')
    .action(async (account: string, { plan, json }: Options) => {
      const reply = await gateway.call(accountsOperations.setAccountStatus, { account, status: 'active', plan, actor });
      output.show(reply, json, () => `The account is active.\n\n${accountFacts(reply.account)}`);
    });
}
