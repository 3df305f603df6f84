import { meteringOperations, runningInstance } from '@tollgate/contracts';
import { z } from 'zod';
import { route } from '../route';

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
    summary: 'Which instances of which service run, and which release each of them is',
    answer: z.object({ data: z.array(runningInstance) }),
    handle: async (_asked, services) => ({ data: await services.running() }),
  }),
];
