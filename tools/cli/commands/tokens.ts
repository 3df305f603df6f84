import {
  adminScope,
  adminScopes,
  adminTokenOperations,
  directoryScope,
  type AdminScope,
  type AdminToken,
} from '@tollgate/contracts/accounts';
import { Command, InvalidArgumentError, Option } from 'commander';
import { readFutureMs } from '../arguments/arguments';
import type { MakeCommand, Surroundings } from '../gateway';
import { table } from '../text/table';
import { instant } from '../text/values';
import { pages } from '../pages';

export const commands: readonly MakeCommand[] = [tokensCreate, tokensList, tokensRevoke];

interface NewToken {
  name: string;
  scopes: (AdminScope | typeof directoryScope)[];
  account?: string;
  expires: number | typeof never;
  json?: boolean;
}

const usual = '90d';
const never = 'never';

/** `tokens create`: makes a token of the admin API and prints it, the only time it can be read. */
function tokensCreate({ gateway, output, actor }: Surroundings): Command {
  return new Command('create')
    .description('make a token of the admin API (/api/admin/v1); it is printed once')
    .requiredOption('--name <name>', 'what it is for; the audit log names it')
    .requiredOption(
      '--scopes <scopes>',
      `what it may do: all, ${directoryScope}, or some of ${adminScopes.join(',')}`,
      readScopes,
    )
    .addOption(
      new Option('--expires <when>', 'a date (2027-01-31), a length of time (30d), or never')
        // What is read as null commander takes for an option without a value.
        .argParser((text) => (text === never ? never : readFutureMs(text)))
        .default(readFutureMs(usual), usual),
    )
    .option('--account <id or email>', `with --scopes ${directoryScope}: whose people a directory may send (SCIM)`)
    .option('--json', 'print JSON')
    .action(async ({ name, scopes, expires, account, json }: NewToken) => {
      const wish = { name, scopes, expiresAt: expires === never ? null : expires, account, actor };
      const reply = await gateway.call(adminTokenOperations.create, wish);
      const copy = 'Copy the token now: it is not stored and will not be shown again.';
      output.show(reply, json, () => `${copy}\n\n  ${reply.token}\n\n${tokenTable([reply.adminToken], Date.now())}`);
    });
}

/** `tokens list`: every token, the newest first. */
function tokensList({ gateway, output }: Surroundings): Command {
  return new Command('list')
    .description('show tokens of the admin API, the newest first')
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: boolean }) => {
      const tokens: AdminToken[] = [];
      const read = (after: string | undefined) => gateway.call(adminTokenOperations.list, { limit: 500, after });
      for await (const page of pages(read)) tokens.push(...page.tokens);
      const text = (): string => (tokens.length === 0 ? 'There are no tokens.' : tokenTable(tokens, Date.now()));
      output.show({ tokens }, json, text);
    });
}

/** `tokens revoke`: it opens nothing from now on. */
function tokensRevoke({ gateway, output, actor }: Surroundings): Command {
  return new Command('revoke')
    .description('stop a token of the admin API for good, at once')
    .argument('<token id>', 'the id that tokens list shows')
    .option('--json', 'print JSON')
    .action(async (tokenId: string, { json }: { json?: boolean }) => {
      const reply = await gateway.call(adminTokenOperations.revoke, { tokenId, actor });
      output.show(reply, json, () => `Revoked ${reply.adminToken.display} (${reply.adminToken.name}).`);
    });
}

function readScopes(text: string): NewToken['scopes'] {
  if (text === 'all') return [...adminScopes];
  if (text === directoryScope) return [directoryScope];
  return text.split(',').map((name) => {
    const scope = adminScope.safeParse(name.trim());
    if (scope.success) return scope.data;
    throw new InvalidArgumentError(
      `${JSON.stringify(name)} is no scope. Give all, ${directoryScope}, or some of ${adminScopes.join(',')}.`,
    );
  });
}

function tokenTable(tokens: readonly AdminToken[], nowMs: number): string {
  return table(
    ['id', 'name', 'token', 'scopes', 'made by', 'state', 'expires', 'used last'],
    tokens.map((token) => [
      ...[token.id, token.name, token.display, token.scopes.join(' '), token.createdBy],
      ...[tokenState(token, nowMs), instant(token.expiresAt), instant(token.lastUsedAt)],
    ]),
  );
}

function tokenState({ revokedAt, expiresAt }: AdminToken, nowMs: number): string {
  if (revokedAt !== null) return 'revoked';
  return expiresAt !== null && expiresAt <= nowMs ? 'expired' : 'active';
}
