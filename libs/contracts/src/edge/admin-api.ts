import { adminAccountRoutes } from './admin-account-routes';
import { adminFleetRoutes } from './admin-fleet-routes';
import { adminOperatorRoutes } from './admin-operator-routes';
import { adminProviderRoutes } from './admin-provider-routes';
import type { AdminAct, AdminRoute } from './admin-route';
import { adminSettingsRoutes } from './admin-settings-routes';
import { adminUsageRoutes } from './admin-usage-routes';

/** Every route of the admin API. */
export const adminRoutes: readonly AdminRoute[] = [
  ...adminAccountRoutes,
  ...adminUsageRoutes,
  ...adminFleetRoutes,
  ...adminProviderRoutes,
  ...adminSettingsRoutes,
  ...adminOperatorRoutes,
];

/** The route by which an operation is asked over HTTP; undefined: there is none. */
export function adminRouteOf(subject: string): AdminRoute | undefined {
  return adminRoutes.find(({ subjects }) => subjects.includes(subject));
}

/**
 * What the audit log keeps of an operation of another service, whichever way it is asked.
 * @throws TypeError for one of which nothing is kept.
 */
export function adminActOf({ subject }: Pick<AdminRoute['operation'], 'subject'>, asked: object): AdminAct {
  const act = adminRouteOf(subject)?.act?.({ ...asked });
  if (!act) throw new TypeError(`${subject} is not written down.`);
  return act;
}
