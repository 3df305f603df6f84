import { z } from 'zod';
import { GatewayError } from '@tollgate/contracts';
import { accountsOperations } from '@tollgate/contracts/accounts';
import { contentLogOperations, loggedContent } from '@tollgate/contracts/metering';
import { nothing, param, route } from '../route';

/** What was logged of the requests of who is signed in. */
export const contentLogRoutes = [
  route({
    method: 'GET',
    path: '/api/content-log/:id',
    access: 'texts:read',
    summary: 'A logged request of yours and its answer, by the id that the log of requests tells',
    answer: loggedContent,
    handle: (asked, services) =>
      services.ask(contentLogOperations.read, { id: eventId(asked), accountId: asked.signedIn.account.id }),
  }),
  route({
    method: 'POST',
    path: '/api/content-log/:id/remove',
    access: 'texts:remove',
    summary: 'Remove the text of one of them for good',
    body: nothing,
    status: 204,
    handle: async (asked, services) => {
      const accountId = asked.signedIn.account.id;
      await services.ask(contentLogOperations.remove, { id: eventId(asked), accountId });
    },
  }),
  route({
    method: 'POST',
    path: '/api/keys/:id/content-log/remove',
    access: 'texts:remove',
    summary: 'Remove everything that was logged of one of your keys; while `isDone` is false there is more',
    body: nothing,
    answer: z.object({ removed: z.number().int(), isDone: z.boolean() }),
    handle: async (asked, services) => {
      const request = { keyId: param(asked, 'id'), accountId: asked.signedIn.account.id };
      // Accounts finds keys of this account only.
      await services.ask(accountsOperations.keyDigest, request);
      return services.ask(contentLogOperations.removeOfKey, request);
    },
  }),
];

/** The id of an event in the address. @throws GatewayError 404 for what cannot be one. */
export function eventId(asked: Parameters<typeof param>[0]): string {
  const id = z.uuid().safeParse(param(asked, 'id'));
  if (!id.success) throw new GatewayError(404, 'There is no such request.');
  return id.data;
}
