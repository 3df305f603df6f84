import { administrationOperations, plan } from '@tollgate/contracts/accounts';
import { planOperations } from '@tollgate/contracts/catalog';
import { z } from 'zod';
import { route } from '../route';
import { doRecorded } from './record-act';

const { list, set, remove } = planOperations;

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
  route({
    method: 'GET',
    path: '/api/admin/plans/settings',
    access: 'administrator',
    summary: 'Plans of the settings by their names, and the version that they are of',
    answer: list.reply,
    handle: (_asked, services) => services.ask(list, {}),
  }),
  route({
    method: 'POST',
    path: '/api/admin/plans',
    access: 'administrator',
    summary: 'Add a plan, or put other limits in its place, as a whole; null: unlimited',
    body: set.request.omit({ by: true }),
    answer: set.reply,
    handle: ({ body, signedIn }, services) => doRecorded(set, body, signedIn, services),
  }),
  route({
    method: 'POST',
    path: '/api/admin/plans/remove',
    access: 'administrator',
    summary: 'Remove a plan that was added so; keys of it have the limits of beta from then on',
    body: remove.request.omit({ by: true }),
    answer: remove.reply,
    handle: ({ body, signedIn }, services) => doRecorded(remove, body, signedIn, services),
  }),
];
