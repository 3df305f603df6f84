import { accountsOperations } from '@tollgate/contracts';
import { Command } from 'commander';
import type { Surroundings } from '../gateway';
import { accountFacts } from '../text/account';

interface Options {
  name: string;
  email: string;
  purpose?: string;
  json?: boolean;
}

/** `accounts request`: asks for access; the account waits for approval. */
export function accountsRequest({ gateway, output, actor }: Surroundings): Command {
  return new Command('request')
    .description('ask for access for a person or a team')
    .requiredOption('--name <name>', 'who it is')
    .requiredOption('--email <address>', 'where to reach them')
    .option('--purpose <text>', 'what they want to do')
    .option('--json', 'print JSON')
    .action(async ({ name, email, purpose, json }: Options) => {
      const reply = await gateway.call(accountsOperations.requestAccess, { name, email, purpose, actor });
      output.show(
        reply,
        json,
        () =>
          `Asked for access. Approve it with: accounts approve ${reply.account.email}\n\n${accountFacts(reply.account)}`,
      );
    });
}
