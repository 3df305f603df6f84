import { z } from 'zod';
import { peopleOperations, sessionSummary, personName } from '@tollgate/contracts/accounts';
import { nothing, page, pageOf, param, route } from '../route';
import { me, tellMe } from './me';

/** What people say of themselves. */
export const profileRoutes = [
  route({
    method: 'PATCH',
    path: '/api/auth/profile',
    access: 'person',
    summary: 'Change your name',
    body: z.strictObject({ name: personName }),
    answer: me,
    handle: async ({ body, cookie, signedIn: { person } }, services) => {
      await services.ask(peopleOperations.updateProfile, { ...body, personId: person.id });
      return tellMe(cookie, services);
    },
  }),
];

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
