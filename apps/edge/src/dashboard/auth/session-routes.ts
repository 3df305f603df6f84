import { peopleOperations, sessionSummary } from '@tollgate/contracts';
import { z } from 'zod';
import { nothing, page, pageOf, param, route } from '../route';

const ownSession = sessionSummary.extend({ current: z.boolean().describe('The session that asks') });

/** Where somebody is signed in. */
export const sessionRoutes = [
  route({
    method: 'GET',
    path: '/api/auth/sessions',
    access: 'person',
    summary: 'Your sessions',
    query: z.strictObject(page(100, 100)),
    answer: pageOf(ownSession),
    handle: async ({ query, signedIn: { person, sessionId } }, services) => {
      const { sessions, next } = await services.ask(peopleOperations.listSessions, { personId: person.id, ...query });
      return { data: sessions.map((session) => ({ ...session, current: session.id === sessionId })), next };
    },
  }),
  route({
    method: 'POST',
    path: '/api/auth/sessions/:id/revoke',
    access: 'person',
    summary: 'End one of your sessions',
    body: nothing,
    status: 204,
    handle: async (asked, services) => {
      const { person } = asked.signedIn;
      await services.ask(peopleOperations.revokeSession, { personId: person.id, sessionId: param(asked, 'id') });
    },
  }),
];
