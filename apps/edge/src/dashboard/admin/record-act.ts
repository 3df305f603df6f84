import type { Operation } from '@tollgate/contracts';
import { administrationOperations, type SignedIn } from '@tollgate/contracts/accounts';
import { adminActOf } from '@tollgate/contracts/edge';
import type { z } from 'zod';
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

/** What a service does is written down, then done, by the name of who asks; what is only looked at is not. */
export async function doRecorded<Request extends z.ZodType, Reply extends z.ZodType>(
  operation: Operation<Request, Reply>,
  asked: Omit<z.input<Request>, 'by'>,
  signedIn: SignedIn,
  services: DashboardServices,
): Promise<z.output<Reply>> {
  if (!('dryRun' in asked && asked.dryRun === true)) await recordAct(operation, asked, signedIn, services);
  return services.ask(operation, { ...asked, by: signedIn.person.email } as z.input<Request>);
}
