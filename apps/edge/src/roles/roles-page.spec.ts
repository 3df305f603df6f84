import { accountPermission, accountRole, mayInAccount, rolePermissions } from '@tollgate/contracts/accounts';
import { readFileSync } from 'node:fs';
import { dashboardRoutes } from '../dashboard/dashboard-routes';
import { rolesFile, rolesPage } from './roles-page';

it('is what docs/roles.md says (npm run roles writes it)', () => {
  expect(readFileSync(rolesFile, 'utf8')).toBe(rolesPage());
});

it('has no permission that opens nothing, and none that an owner lacks', () => {
  const used = new Set<string>(dashboardRoutes.map(({ access }) => access));
  // Not of a route as a whole: which keys it is about.
  used.add('keys:all');
  for (const permission of accountPermission.options) {
    expect([permission, used.has(permission)]).toEqual([permission, true]);
    expect(mayInAccount('owner', permission)).toBe(true);
  }
});

it('lets nobody but owners and administrators change who is in an account, or whose keys are changed', () => {
  for (const role of accountRole.options)
    for (const permission of ['people:write', 'keys:all', 'texts:remove'] as const)
      expect([role, mayInAccount(role, permission)]).toEqual([role, role === 'owner' || role === 'administrator']);
});

it('lets who only looks change nothing', () => {
  for (const role of ['viewer', 'billing'] as const)
    for (const permission of ['keys:own', 'playground', 'texts:read'] as const)
      expect(rolePermissions[role]).not.toContain(permission);
});
