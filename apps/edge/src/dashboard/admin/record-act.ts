import { administrationOperations, adminActOf, type SignedIn } from '@tollgate/contracts';
import type { DashboardServices } from '../dashboard-services';

/**
 * Has accounts keep what is about to be done in a service that has no audit log. What cannot be written down
 * is not done.
 */
export async function recordAct(
  operation: Parameters<typeof adminActOf>[0],
  asked: object,
  { person: { accountId, email: actor } }: SignedIn,
  services: DashboardServices,
): Promise<void> {
  await services.ask(administrationOperations.recordAct, { ...adminActOf(operation, asked), accountId, actor });
}
