import { directoryRole } from '@tollgate/contracts/accounts';
import { AccountsSettings } from '../settings';
import { roleOf } from './oidc-groups';

const groups = (OIDC_ROLES: string, more: NodeJS.ProcessEnv = {}) =>
  new AccountsSettings({
    ...{
      NATS_URL: 'nats://x',
      DATABASE_URL: 'postgresql://x',
      TOLLGATE_KEY_PEPPER: 'a pepper of 32 characters or more',
    },
    ...{ OIDC_ISSUER: 'https://login.example', OIDC_CLIENT_ID: 'x', OIDC_CLIENT_SECRET: 'x' },
    ...{ OIDC_ACCOUNT: 'team@example.com', OIDC_ROLES, ...more },
  }).people.oidc?.groups;

it('reads groups, whose names may hold spaces and signs of equality, and where they lead', () => {
  expect(groups('AI team=developer, a=b=viewer,')).toEqual({
    ...{ account: 'team@example.com', claim: 'groups' },
    roles: [
      ['AI team', 'developer'],
      ['a=b', 'viewer'],
    ],
  });
  expect(groups('')).toBeNull();
  expect(groups('x=viewer', { OIDC_ACCOUNT: '' })).toBeNull();
});

it.each(['ops', 'ops=owner', 'ops=root', '=viewer'])('refuses %j', (text) => {
  expect(() => groups(text)).toThrow('OIDC_ROLES');
});

it('takes the most that one of the groups gives', () => {
  const roles = [...directoryRole.options].reverse().map((role) => [`${role}s`, role] as const);
  expect(roleOf({ roles }, ['viewers', 'administrators', 'others'])).toBe('administrator');
  expect(roleOf({ roles }, ['billings', 'viewers'])).toBe('viewer');
  expect(roleOf({ roles }, ['others', 'Viewers'])).toBeNull();
  expect(roleOf({ roles }, [])).toBeNull();
});
