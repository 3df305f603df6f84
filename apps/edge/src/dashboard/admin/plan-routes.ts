import { administrationOperations, plan } from '@tollgate/contracts';
import { z } from 'zod';
import { route } from '../route';

/** What keys are limited by that have no limits of their own. */
export const planRoutes = [
  route({
    method: 'GET',
    path: '/api/admin/plans',
    access: 'administrator',
    summary: 'The plans of this gateway with their limits; null: unlimited',
    answer: z.object({ data: z.array(plan) }),
    handle: async (_asked, services) => {
      const { plans } = await services.ask(administrationOperations.listPlans, {});
      return { data: plans };
    },
  }),
];
