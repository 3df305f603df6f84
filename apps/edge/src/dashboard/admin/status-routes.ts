import { instanceList } from '@tollgate/contracts';
import { administrationOperations } from '@tollgate/contracts/accounts';
import { meteringOperations, reportOperations } from '@tollgate/contracts/metering';
import { z } from 'zod';
import type { DashboardServices } from '../dashboard-services';
import { route } from '../route';

/** What was asked is looked for so far back. */
const lookBackMs = 30 * 86_400_000;

/** Whether anybody else may sign in and call, and whether a request was answered lately. */
export const firstDay = z.object({ othersHaveAccess: z.boolean(), wasAsked: z.boolean() });

/** How the gateway is. */
export const statusRoutes = [
  route({
    method: 'GET',
    path: '/api/admin/status',
    access: 'administrator',
    summary: 'How far ingest is behind, what is reserved, and how many inference instances are heard',
    answer: meteringOperations.status.reply.extend({ inferenceInstances: z.number().int() }),
    handle: async (_asked, services) => ({
      ...(await services.ask(meteringOperations.status, {})),
      inferenceInstances: services.instances.count,
    }),
  }),
  route({
    method: 'GET',
    path: '/api/admin/instances',
    access: 'administrator',
    summary: instanceList.summary,
    answer: instanceList.answer,
    handle: async (_asked, services) => ({ data: await services.running() }),
  }),
  route({
    method: 'GET',
    path: '/api/admin/first-day',
    access: 'administrator',
    summary: 'Whether anybody else may sign in and call, and whether a request was answered in the last 30 days',
    answer: firstDay,
    handle: async (_asked, services) => readFirstDay(services),
  }),
];

/** What is left to do on a first day. */
export async function readFirstDay(services: DashboardServices): Promise<z.infer<typeof firstDay>> {
  const endAt = Date.now();
  const [{ accounts }, { requests }] = await Promise.all([
    services.ask(administrationOperations.searchAccounts, { status: 'active', signsIn: true, limit: 2 }),
    services.ask(reportOperations.listRequests, { startAt: endAt - lookBackMs, endAt, limit: 1 }),
  ]);
  return {
    othersHaveAccess: accounts.reduce((sum, { people = 1 }) => sum + people, 0) > 1,
    wasAsked: requests.length > 0,
  };
}
