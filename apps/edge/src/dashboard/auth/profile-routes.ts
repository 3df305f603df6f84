import { peopleOperations, personName } from '@tollgate/contracts';
import { z } from 'zod';
import { route } from '../route';
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
