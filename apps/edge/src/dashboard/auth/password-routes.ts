import { newPassword, peopleOperations, typedPassword } from '@tollgate/contracts/accounts';
import { z } from 'zod';
import { nothing, route } from '../route';
import { me, open } from './me';

const mailedToken = z.string().min(1).max(200);

/** Passwords and what is proven by mail. */
export const passwordRoutes = [
  route({
    method: 'POST',
    path: '/api/auth/password',
    access: 'person',
    summary: 'Change the password; all other sessions end',
    body: z.strictObject({ current: typedPassword, next: newPassword }),
    answer: me,
    handle: async ({ body, client, cookie, signedIn: { person, sessionId } }, services) => {
      const request = { ...body, ...client, personId: person.id, sessionId };
      return open(await services.ask(peopleOperations.changePassword, request), cookie, services);
    },
  }),
  route({
    method: 'POST',
    path: '/api/auth/forgot',
    access: 'anyone',
    summary: 'Mail a link for a new password, if there is somebody with this address',
    body: z.strictObject({ email: z.string().max(200) }),
    status: 202,
    handle: async ({ body, client }, services) => {
      await services.ask(peopleOperations.forgot, { ...body, ...client });
    },
  }),
  route({
    method: 'POST',
    path: '/api/auth/reset',
    access: 'anyone',
    summary: 'Set a new password by a mailed link, and sign in, with a second factor where there is one',
    body: z.strictObject({ token: mailedToken, password: newPassword }),
    answer: me,
    handle: async ({ body, client, cookie }, services) => {
      const reply = await services.ask(peopleOperations.reset, { ...body, ...client });
      return open('outcome' in reply ? reply : { outcome: 'opened', session: reply }, cookie, services);
    },
  }),
  route({
    method: 'POST',
    path: '/api/auth/verify-email',
    access: 'anyone',
    summary: 'Confirm an e-mail address by a mailed link',
    body: z.strictObject({ token: mailedToken }),
    status: 204,
    handle: async ({ body }, services) => {
      await services.ask(peopleOperations.verifyEmail, body);
    },
  }),
  route({
    method: 'POST',
    path: '/api/auth/send-verification',
    access: 'person',
    summary: 'Mail the link that confirms the address again',
    body: nothing,
    status: 202,
    handle: async ({ signedIn: { person } }, services) => {
      await services.ask(peopleOperations.sendVerification, { personId: person.id });
    },
  }),
];
