import { accountRole, invitationWay, memberOperations, secondFactorOperations } from '@tollgate/contracts/accounts';
import type { AccountRole, Invitation, Member } from '@tollgate/contracts/accounts';
import { Argument, Command, Option } from 'commander';
import type { MakeCommand, Surroundings } from '../gateway';
import { table } from '../text/table';
import { instant } from '../text/values';

export const commands: readonly MakeCommand[] = [
  peopleList,
  peopleInvite,
  peopleWithdraw,
  peopleRole,
  peopleRemove,
  peopleResetSecondFactor,
];

const account = '<account>';
const accountHelp = 'the id or address of the account';
const role = () => new Argument('<role>', 'what they are in the account').choices(accountRole.options);

interface Options {
  json?: boolean;
}

/** `people list`: who is of an account, and who is invited. */
function peopleList({ gateway, output }: Surroundings): Command {
  return new Command('list')
    .description('show who is of an account, in which role, and who is invited')
    .argument(account, accountHelp)
    .option('--json', 'print JSON')
    .action(async (named: string, { json }: Options) => {
      const reply = await gateway.call(memberOperations.list, { account: named });
      output.show(reply, json, () => `${peopleTable(reply.people)}${invitationTable(reply.invitations)}`);
    });
}

/** `people invite`: an address that may join. */
function peopleInvite({ gateway, output, actor }: Surroundings): Command {
  return new Command('invite')
    .description('invite an address into an account, by mail, or by a link that is printed once')
    .argument(account, accountHelp)
    .argument('<email>', 'whom')
    .addOption(new Option('--role <role>', 'what they become').choices(accountRole.options).default('developer'))
    .addOption(new Option('--by <way>', 'how it gets there').choices(invitationWay.options).default('link'))
    .option('--json', 'print JSON')
    .action(async (named: string, email: string, options: Options & { role: AccountRole; by: 'mail' | 'link' }) => {
      const asked = { account: named, email, role: options.role, way: options.by, actor };
      const reply = await gateway.call(memberOperations.invite, asked);
      const { invitation, link } = reply;
      const until = `until ${instant(invitation.expiresAt)}`;
      output.show(reply, options.json, () =>
        link === null
          ? `The invitation of ${invitation.email} is mailed; it works ${until}.`
          : `Hand this over to ${invitation.email}; it works once, ${until}:\n${link}`,
      );
    });
}

/** `people withdraw`: an invitation that works no more. */
function peopleWithdraw({ gateway, output, actor }: Surroundings): Command {
  return new Command('withdraw')
    .description('withdraw an invitation; its link stops working')
    .argument(account, accountHelp)
    .argument('<invitation id>', 'the id that people list shows')
    .option('--json', 'print JSON')
    .action(async (named: string, invitationId: string, { json }: Options) => {
      const reply = await gateway.call(memberOperations.withdraw, { account: named, invitationId, actor });
      output.show(reply, json, () => `The invitation of ${reply.invitation.email} is withdrawn.`);
    });
}

/** `people role`: what somebody is in their account. */
function peopleRole({ gateway, output, actor }: Surroundings): Command {
  return new Command('role')
    .description('change what somebody is in an account')
    .argument(account, accountHelp)
    .argument('<person id>', 'the id that people list shows')
    .addArgument(role())
    .option('--json', 'print JSON')
    .action(async (named: string, personId: string, wanted: AccountRole, { json }: Options) => {
      const asked = { account: named, personId, role: wanted, actor };
      const reply = await gateway.call(memberOperations.setRole, asked);
      output.show(reply, json, () => `${reply.person.email}: ${reply.person.accountRole}.`);
    });
}

/** `people remove`: somebody who leaves. */
function peopleRemove({ gateway, output, actor }: Surroundings): Command {
  return new Command('remove')
    .description('remove somebody from an account: they are signed out, and their keys stop within a second')
    .argument(account, accountHelp)
    .argument('<person id>', 'the id that people list shows')
    .option('--json', 'print JSON')
    .action(async (named: string, personId: string, { json }: Options) => {
      const reply = await gateway.call(memberOperations.remove, { account: named, personId, actor });
      output.show(reply, json, () => `${reply.person.email} is removed; keys that stopped: ${reply.revokedKeys}.`);
    });
}

/** `people reset-second-factor`: for who lost theirs. */
function peopleResetSecondFactor({ gateway, output, actor }: Surroundings): Command {
  return new Command('reset-second-factor')
    .description('take the second factor from somebody who lost it; they are signed out, their password stays')
    .argument(account, accountHelp)
    .argument('<person id>', 'the id that people list shows')
    .option('--json', 'print JSON')
    .action(async (named: string, personId: string, { json }: Options) => {
      const reply = await gateway.call(secondFactorOperations.reset, { account: named, personId, actor });
      output.show(reply, json, () => `${reply.person.email} signs in with the password alone.`);
    });
}

function peopleTable(people: readonly Member[]): string {
  if (people.length === 0) return 'Nobody signs in for this account.';
  return table(
    ['id', 'name', 'email', 'role', 'gateway', 'keys'],
    people.map(({ id, name, email, accountRole: is, role: inGateway, keys }) => [
      ...[id, name, email, is, inGateway],
      String(keys),
    ]),
  );
}

function invitationTable(invitations: readonly Invitation[]): string {
  if (invitations.length === 0) return '';
  const rows = invitations.map(({ id, email, role: is, invitedBy, expiresAt }) => [
    ...[id, email, is, invitedBy, instant(expiresAt)],
  ]);
  return `\n\nInvited:\n${table(['id', 'email', 'role', 'by', 'ends'], rows)}`;
}
