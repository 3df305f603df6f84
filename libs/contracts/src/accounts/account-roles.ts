import { z } from 'zod';

/** What somebody is in an account. It says nothing of the gateway, which has administrators of its own. */
export const accountRole = z.enum(['owner', 'administrator', 'developer', 'viewer', 'billing']);
export type AccountRole = z.infer<typeof accountRole>;

/**
 * What may be done in an account. `keys:own`: make keys, and rotate, change and revoke those; `keys:all`: so
 * with keys of others and of machines. `requests`: the log of single requests, without their texts.
 * `own-keys`: keys of providers that the account brings.
 */
export const accountPermission = z.enum([
  'keys:read',
  'keys:own',
  'keys:all',
  'playground',
  'usage',
  'requests',
  'texts:read',
  'texts:remove',
  'people:read',
  'people:write',
  'own-keys',
]);
export type AccountPermission = z.infer<typeof accountPermission>;

const all = accountPermission.options;

/** What each role may. Nothing else in the gateway says so; docs/roles.md is written from it. */
export const rolePermissions: Readonly<Record<AccountRole, readonly AccountPermission[]>> = {
  owner: all,
  // What sets it apart from an owner: it makes, changes and removes no owner.
  administrator: all,
  developer: ['keys:read', 'keys:own', 'playground', 'usage', 'requests', 'texts:read', 'people:read'],
  viewer: ['keys:read', 'usage', 'requests', 'people:read'],
  // Sums by key, end user and tag, and no single request.
  billing: ['keys:read', 'usage'],
};

/** Whether a role may do something in its account. */
export function mayInAccount(role: AccountRole, permission: AccountPermission): boolean {
  return rolePermissions[role].includes(permission);
}
