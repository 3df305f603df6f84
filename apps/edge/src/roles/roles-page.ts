import { join } from 'node:path';
import { accountRole, type AccountRole, mayInAccount } from '@tollgate/contracts/accounts';
import { dashboardRoutes } from '../dashboard/dashboard-routes';
import type { Access, DashboardRoute } from '../dashboard/route';

/** Where the table of roles is. */
export const rolesFile = join(__dirname, '../../../../docs/roles.md');

/**
 * Who asks, as the table tells them apart. `gateway`: an administrator of the gateway, who owns their
 * account.
 */
export const askers = ['nobody', ...accountRole.options, 'gateway'] as const;
export type Asker = (typeof askers)[number];

const named: Record<Asker, string> = {
  nobody: 'not signed in',
  owner: 'owner',
  administrator: 'administrator',
  developer: 'developer',
  viewer: 'viewer',
  billing: 'billing',
  gateway: 'of the gateway',
};

/** Whether somebody gets to a route. */
function opens(access: Access, asker: Asker): boolean {
  if (access === 'anyone') return true;
  if (asker === 'nobody') return false;
  if (access === 'person') return true;
  if (access === 'administrator') return asker === 'gateway';
  const role: AccountRole = asker === 'gateway' ? 'owner' : asker;
  return mayInAccount(role, access);
}

/** What a route is called in the table. */
export const routeName = ({ method, path }: Pick<DashboardRoute, 'method' | 'path'>): string => `${method} ${path}`;

/** The text of docs/roles.md: every route of the dashboard, and who gets to it. */
export function rolesPage(): string {
  const rows = dashboardRoutes.map((route) => [
    `\`${routeName(route)}\``,
    ...askers.map((asker) => (opens(route.access, asker) ? 'yes' : '–')),
  ]);
  return `${introduction}\n${table([['route', ...askers.map((asker) => named[asker])], ...rows])}`;
}

function table(cells: readonly (readonly string[])[]): string {
  const widths = cells[0]?.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0))) ?? [];
  const line = (row: readonly string[]) => `| ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |\n`;
  const [head = [], ...rows] = cells;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('');
}

const introduction = `<!-- Written by npm run roles from the routes and from libs/contracts/src/accounts/account-roles.ts. -->

# Roles

An account has people, and each of them has one role in it. Whoever asks for access owns the account that they get; others are invited (page People of the dashboard, \`tollgate people invite\`, the
[admin API](admin-api.md)), by mail or by a link that who invites hands over. An invitation is for one address and lasts a week; only its link takes it, and only while who made it may still invite so.

| role          | what for                                                                                                                        |
| ------------- | ------------------------------------------------------------------------------------------------------------------------------- |
| owner         | everything in the account. There is always one                                                                                  |
| administrator | the same, but makes, changes and removes no owners                                                                              |
| developer     | makes keys, rotates, changes and revokes those, and uses the playground with them; sees usage, single requests and logged texts |
| viewer        | sees keys (never the keys themselves), usage and single requests, without texts                                                 |
| billing       | sees keys and sums, no single requests; is written to, as owners are, when a budget is nearly spent                             |

- **A key is its maker's**: it is revoked, on every edge within a second, when they are removed. One that is made for a machine, by an owner or an administrator, is the account's and stays; so do keys of before there were roles, and those that an operator makes.
- **Who is removed** is signed out at once. Their address can be invited again. A mail for a new password and an OpenID provider do not bring them back, also where the account is called by their address, but a group of the provider that still leads here, and a directory that still sends them, do: take them away there, too.
- **Administrators of the gateway** are another thing: they see all accounts (\`/api/admin\`). Only owners of an account can be made one, and none is changed or removed in it before that is taken away.
- **While an account is suspended**, or declined, all its people do what billing does, whatever their role ([more](operate.md#an-account-that-ends)).
- A role that is taken leaves the keys that were made under it: revoke those, too. A role is read anew for each request, and accounts reads it once more where people are changed. No role opens the [admin API](admin-api.md) or \`/v1\`: those take tokens and API keys.

## A second factor

Whoever signs in with a password can have a code of an authenticator asked for beside it (Settings): RFC 6238, SHA-1, six digits, half a minute. Each code is taken once. Ten recovery codes are told once, and each signs in once. Passkeys are another second factor, and sign in without a password, too.

- The secret is sealed (AES-256-GCM) under the pepper and for its person: the database alone makes no code. Recovery codes have 80 random bits and are kept as digests.
- Five wrong codes are free for a person, then each doubles the wait, up to 15 minutes, over all instances. The password has to be right before a code is asked for at all.
- The first one that is set up takes the password, everything after it the password and a code, or a passkey. An authenticator, and the first passkey of who has none, end all other sessions. Of what is added or removed, and of a used recovery code, they are written to.
- A mailed or handed link for a new password does not stand in for the code or the passkey, but for one: where a link that was mailed is the first proof of an address, whatever was set up before it is gone, since anybody can type in an address and add a factor of their own. A mail tells of that, and of API keys that were made before: these go on. An OpenID provider does: it asks for what it asks for.
- **Demanded**: \`SECOND_FACTOR_REQUIRED\` of accounts says of whom, \`administrators\` (of the gateway) or \`everybody\`. Whoever has a password and no second factor is led to set one up, at once where they are signed in, and can do nothing else in the dashboard until then. Who has no password is not asked: their OpenID provider asks for what it asks for. API keys, tokens of the admin API and the CLI go on as they are, so that nobody is locked out for good: whoever lost all they had is reset (below) and sets up another one; and without the variable, after a restart of accounts, nobody has to.
- **Who lost it all** asks an owner or administrator of their account (page People), or an administrator of the gateway (page of the account), who reset it: authenticator, passkeys and recovery codes are gone, sessions end, the password stays, a mail and a line of the audit log tell of it. Operators have \`tollgate people reset-second-factor <account> <person id>\`, and programs the [admin API](admin-api.md).
- In an account only owners reset owners, nobody resets their own, and administrators of the gateway are reset by others of them.

### Passkeys

WebAuthn, up to 20 for a person, each with a name, which they may change, the day it was added and when it was used last. One signs in by itself (Sign in with a passkey, or where the browser offers it with the address), as it verifies who uses it (a finger, a face, a PIN: a key that cannot is not taken), and stands beside the password in the place of a code.

- **Where**: at the address of \`TOLLGATE_PUBLIC_URL\` alone, which must be https (or \`localhost\`) and have a name: browsers give none to an address such as \`10.0.0.5\`, nor over plain http. A reverse proxy before the gateway is no hindrance, as only this setting counts. Elsewhere the settings say why there are none. Another host in \`TOLLGATE_PUBLIC_URL\` makes all passkeys useless: people sign in by password and recovery code then, and add others.
- What is kept of one signs nobody in: a public key, and a count of signatures. A count that goes back, as that of a copy would, is refused, and its person is written to.
- A challenge is made here, kept for five minutes and taken once, whatever is answered; a network has 300 open ones at most, and a browser one: it ends ten seconds after the next was asked. Thirty answers that are refused are free for a network, then each doubles the wait, up to 15 minutes.
- With the last one, where there is no authenticator, recovery codes go, too. Whoever has no password has no passkey: their OpenID provider asks for what it asks for.

## Groups of an OpenID provider

\`OIDC_ACCOUNT\` names an account, and \`OIDC_ROLES\` the role that each group has in it (\`AI team=developer,AI operations=administrator\`; the claim is \`OIDC_GROUPS_CLAIM\`). Who signs in for the first time with such a group is of that account at once, without waiting for approval, and has the role of the group that may most; each sign-in sets it anew.

- Who is of the account but of none of the groups any more cannot sign in with the provider. A password that they have set, sessions and keys go on: a directory (below) is what ends those.
- Owners stay owners, and nobody is taken out of another account. Into one that is not active nobody new is let (403).
- Somebody who is new here needs an address for which the provider vouches: \`email_verified\`. Entra never says that, but \`xms_edov\` in its place, which is taken: add the optional claims \`email\` and \`xms_edov\` to the ID token of its application (Token configuration, or \`optionalClaims\` of the manifest). Its groups are told by their object ids, unless the application says otherwise.

## A directory (SCIM)

Okta, Entra and others send the people of an account here, and take them away when they leave: SCIM 2.0, users, at \`/scim/v2\` (RFC 7643, 7644). The token is for one account, opens nothing else, and is made by an operator:

\`\`\`sh
docker compose run --rm cli tokens create --name okta --scopes scim --account team@example.com
\`\`\`

- **Who is made** is a person of the account with a verified address, a developer unless \`roles\` says administrator, viewer or billing; owners are made by owners. Somebody of the account who has the address is taken over; where it was not proven yet, their password and sessions end. Of owners and administrators of the gateway a directory changes the name alone. They sign in with the OpenID provider, or by a mail for a password.
- **Who is deactivated** (\`active\` false) or deleted is removed: sessions end at once, and their keys stop on every edge within a second, for good. That holds for owners, too, also the last one, but not for the last administrator of the gateway. Activated again, they are there anew, without keys. No group of a provider lets them in meanwhile.
- Kept are \`userName\`, \`externalId\`, \`displayName\` (or \`name\`; a given or family name that is changed alone takes its place in it, the last of several words being the family name, and a name that has both already stays), the primary of \`emails\` (or the one of the type \`work\`) and of \`roles\`, and \`active\`; all else, other addresses too, is passed over. A role that is not said stays. Users are found by \`userName eq\` and \`externalId eq\`. There are no groups (a list of them is empty, and one that is sent a 501: in Entra, turn them off under Provisioning, Mappings, Groups; in Okta, push none), no bulk and no sorting, and \`/ServiceProviderConfig\` says so; \`/Me\` and \`/Bulk\` are a 501. What goes wrong is told in the form of SCIM, also where there is no such address.
- While the account is suspended or declined nobody is made or activated (403); whom the directory takes away goes, and names and roles are changed.
- A directory can say of any address that is free that it is of its account: hand its token to nobody whom you would not let invite.

## Who gets to what

Each line of the table is asked of a real edge, by everybody, in its tests (\`access.integration.spec.ts\`).
`;
