import { webhookOperations } from '@tollgate/contracts/accounts';
import { z } from 'zod';
import { nothing, page, param, route } from '../route';

const { name, url, form, kinds } = webhookOperations.create.request.shape;
const { deliveries } = webhookOperations.deliveries.reply.shape;

/** Where alerts are sent, and what became of each. Accounts writes down who changed it. */
export const webhookRoutes = [
  route({
    method: 'GET',
    path: '/api/admin/webhooks',
    access: 'administrator',
    summary: 'Where alerts are sent',
    answer: webhookOperations.list.reply,
    handle: (_, services) => services.ask(webhookOperations.list, {}),
  }),
  route({
    method: 'GET',
    path: '/api/admin/webhooks/deliveries',
    access: 'administrator',
    summary: 'Alerts that were sent in the last 30 days, or are to be sent, the newest first',
    query: z.strictObject(page(500, 50)),
    answer: z.object({ data: deliveries, next: z.string().nullable() }),
    handle: async ({ query }, services) => {
      const { deliveries: data, next } = await services.ask(webhookOperations.deliveries, query);
      return { data, next };
    },
  }),
  route({
    method: 'POST',
    path: '/api/admin/webhooks',
    access: 'administrator',
    isDoneOnce: true,
    summary: 'Send alerts to an address; the secret that deliveries are signed with (none of a mail) is told this once',
    body: z.strictObject({ name, url, form, kinds }),
    answer: webhookOperations.create.reply,
    status: 201,
    handle: ({ body, signedIn: { person }, once }) => once(webhookOperations.create, { ...body, actor: person.email }),
  }),
  route({
    method: 'PATCH',
    path: '/api/admin/webhooks/:id',
    access: 'administrator',
    summary: 'Change name or alerts of a webhook, pause or resume it; what is absent stays',
    body: webhookOperations.update.request.omit({ webhookId: true, actor: true }).strict(),
    answer: webhookOperations.update.reply,
    handle: (asked, services) => {
      const request = { ...asked.body, webhookId: param(asked, 'id'), actor: asked.signedIn.person.email };
      return services.ask(webhookOperations.update, request);
    },
  }),
  route({
    method: 'POST',
    path: '/api/admin/webhooks/:id/test',
    access: 'administrator',
    summary: 'Send an alert that says that it is a test',
    body: nothing,
    answer: webhookOperations.test.reply,
    status: 202,
    handle: (asked, services) =>
      services.ask(webhookOperations.test, { webhookId: param(asked, 'id'), actor: asked.signedIn.person.email }),
  }),
  route({
    method: 'POST',
    path: '/api/admin/webhooks/:id/remove',
    access: 'administrator',
    summary: 'Send no alerts there any more',
    body: nothing,
    status: 204,
    handle: async (asked, services) => {
      const webhookId = param(asked, 'id');
      await services.ask(webhookOperations.remove, { webhookId, actor: asked.signedIn.person.email });
    },
  }),
];
