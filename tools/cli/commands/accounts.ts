import { type Account, accountsOperations, accountStatus } from '@tollgate/contracts/accounts';
import { Command, Option } from 'commander';
import type { MakeCommand, Surroundings } from '../gateway';
import { facts, table } from '../text/table';
import { instant } from '../text/values';
import { pages } from '../pages';

interface RequestOptions {
  name: string;
  email: string;
  purpose?: string;
  json?: boolean;
}

/** `accounts request`: asks for access; the account waits for approval. */
function accountsRequest({ gateway, output, actor }: Surroundings): Command {
  return new Command('request')
    .description('ask for access for a person or a team')
    .requiredOption('--name <name>', 'who it is')
    .requiredOption('--email <address>', 'where to reach them')
    .option('--purpose <text>', 'what they want to do')
    .option('--json', 'print JSON')
    .action(async ({ name, email, purpose, json }: RequestOptions) => {
      const reply = await gateway.call(accountsOperations.requestAccess, { name, email, purpose, actor });
      output.show(
        reply,
        json,
        () =>
          `Asked for access. Approve it with: accounts approve ${reply.account.email}\n\n${accountFacts(reply.account)}`,
      );
    });
}

interface ApproveOptions {
  plan?: string;
  json?: boolean;
}

/**
 * `accounts approve`: lets an account generate, be it new, suspended or declined before; also changes the
 * plan of an active one.
 */
function accountsApprove({ gateway, output, actor }: Surroundings): Command {
  return new Command('approve')
    .description('let an account use the gateway, or change its plan; its keys work at once')
    .argument('<id or email>', 'the account')
    .option('--plan <plan>', 'the plan it gets (as it is when absent)')
    .option('--json', 'print JSON')
    .action(async (account: string, { plan, json }: ApproveOptions) => {
      const reply = await gateway.call(accountsOperations.setAccountStatus, { account, status: 'active', plan, actor });
      output.show(reply, json, () => `The account is active.\n\n${accountFacts(reply.account)}`);
    });
}

/** `accounts suspend`: refuses all keys of an account until it is approved again. */
function accountsSuspend({ gateway, output, actor }: Surroundings): Command {
  return new Command('suspend')
    .description('refuse all keys of an account until it is approved again')
    .argument('<id or email>', 'the account')
    .option('--json', 'print JSON')
    .action(async (account: string, { json }: { json?: boolean }) => {
      const reply = await gateway.call(accountsOperations.setAccountStatus, { account, status: 'suspended', actor });
      output.show(reply, json, () => `The account is suspended.\n\n${accountFacts(reply.account)}`);
    });
}

/** `accounts decline`: refuses a request for access. */
function accountsDecline({ gateway, output, actor }: Surroundings): Command {
  return new Command('decline')
    .description('refuse a request for access')
    .argument('<id or email>', 'the account')
    .option('--json', 'print JSON')
    .action(async (account: string, { json }: { json?: boolean }) => {
      const reply = await gateway.call(accountsOperations.setAccountStatus, { account, status: 'declined', actor });
      output.show(reply, json, () => `The request is declined.\n\n${accountFacts(reply.account)}`);
    });
}

interface ListOptions {
  status?: Account['status'];
  json?: boolean;
}

/** `accounts list`: every account, or those of one status, the newest first. */
function accountsList({ gateway, output }: Surroundings): Command {
  return new Command('list')
    .description('show accounts, the newest first')
    .addOption(new Option('--status <status>', 'only accounts of this status').choices(accountStatus.options))
    .option('--json', 'print JSON')
    .action(async ({ status, json }: ListOptions) => {
      const accounts: Account[] = [];
      const read = (after: string | undefined) =>
        gateway.call(accountsOperations.listAccounts, { status, limit: 500, after });
      for await (const page of pages(read)) accounts.push(...page.accounts);
      output.show({ accounts }, json, () =>
        accounts.length === 0 ? 'There are no accounts.' : accountTable(accounts),
      );
    });
}

/** `accounts rename-project`: what a project of an account is called, with all that is of it. */
function accountsRenameProject({ gateway, output, actor }: Surroundings): Command {
  return new Command('rename-project')
    .description('call a project of an account something else: its keys, budgets and own keys go with it')
    .argument('<id or email>', 'the account')
    .argument('<project>', 'what it is called now')
    .argument('<name>', 'what it is to be called')
    .option('--json', 'print JSON')
    .action(async (account: string, project: string, name: string, { json }: { json?: boolean }) => {
      const reply = await gateway.call(accountsOperations.renameProject, { account, project, name, actor });
      const counts = `keys: ${reply.keys}, budgets: ${reply.budgets}, own keys: ${reply.ownKeys}`;
      output.show(reply, json, () => `The project ${project} is called ${reply.project} now (${counts}).`);
    });
}

export const commands: readonly MakeCommand[] = [
  accountsRequest,
  accountsApprove,
  accountsSuspend,
  accountsDecline,
  accountsRenameProject,
  accountsList,
];

/** Accounts as a table, one a line. */
function accountTable(accounts: readonly Account[]): string {
  return table(
    ['id', 'name', 'email', 'status', 'plan', 'created'],
    accounts.map(({ id, name, email, status, plan, createdAt }) => [id, name, email, status, plan, instant(createdAt)]),
  );
}

/** Everything about one account, a fact a line. */
function accountFacts(account: Account): string {
  return facts([
    ['id', account.id],
    ['name', account.name],
    ['email', account.email],
    ['status', account.status],
    ['plan', account.plan],
  ]);
}
