import { setPriceOperations } from '@tollgate/contracts';
import { z } from 'zod';
import { route } from '../route';
import { doRecorded, recordAct } from './record-act';

const { list, history, set, withdraw } = setPriceOperations;

/** What models cost that an operator says something of. */
export const priceRoutes = [
  route({
    method: 'GET',
    path: '/api/admin/prices',
    access: 'administrator',
    summary: 'What models cost of which an operator says it, who does, and what is to come',
    query: z.strictObject({ model: z.string().max(200).optional() }),
    answer: list.reply,
    handle: ({ query }, services) => services.ask(list, query),
  }),
  route({
    method: 'GET',
    path: '/api/admin/prices/history',
    access: 'administrator',
    summary: 'Prices that were set, who, when and why, the newest first; those that were taken back too',
    query: z.strictObject({ after: z.string().max(100).optional() }),
    answer: history.reply,
    handle: ({ query }, services) => services.ask(history, { ...query, limit: 50 }),
  }),
  route({
    method: 'POST',
    path: '/api/admin/prices',
    access: 'administrator',
    summary: 'Set what a model costs from an instant on, as a whole; `dryRun` only looks',
    body: set.request.omit({ by: true }),
    answer: set.reply,
    handle: async ({ body, signedIn }, services) => {
      if (!body.dryRun) await recordAct(set, body, signedIn, services);
      return services.ask(set, { ...body, by: signedIn.person.email });
    },
  }),
  route({
    method: 'POST',
    path: '/api/admin/prices/withdraw',
    access: 'administrator',
    summary: 'Take a price back that is to begin in more than five minutes: it never was',
    body: withdraw.request.omit({ by: true }),
    answer: withdraw.reply,
    handle: ({ body, signedIn }, services) => doRecorded(withdraw, body, signedIn, services),
  }),
];
