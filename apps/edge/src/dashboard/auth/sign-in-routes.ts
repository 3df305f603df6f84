import { GatewayError } from '@tollgate/contracts';
import { emailAddress, newPassword, peopleOperations, personName, typedPassword } from '@tollgate/contracts/accounts';
import { z } from 'zod';
import { nothing, route } from '../route';
import { me, open, tellMe } from './me';

const newPerson = { name: personName, email: emailAddress, password: newPassword };

/** How people come in and leave. */
export const signInRoutes = [
  route({
    method: 'GET',
    path: '/api/auth/me',
    access: 'anyone',
    summary: 'Who is signed in, and the token that every change must carry',
    answer: me,
    handle: ({ cookie }, services) => tellMe(cookie, services),
  }),
  route({
    method: 'POST',
    path: '/api/auth/sign-up',
    access: 'anyone',
    summary: 'Ask for access: an account that waits for approval',
    body: z.strictObject({ ...newPerson, purpose: z.string().max(2_000).default('') }),
    answer: me,
    status: 201,
    handle: async ({ body, client, cookie }, services) =>
      open(await services.ask(peopleOperations.signUp, { ...body, ...client }), cookie, services),
  }),
  route({
    method: 'POST',
    path: '/api/auth/sign-in',
    access: 'anyone',
    summary: 'Sign in with e-mail and password; where there is a second factor, a code is wanted next',
    body: z.strictObject({ email: z.string().max(200), password: typedPassword }),
    answer: me,
    handle: async ({ body, client, cookie }, services) => {
      const reply = await services.ask(peopleOperations.signIn, { ...body, ...client });
      if (reply.outcome === 'refused') throw new GatewayError(401, 'This e-mail address and password do not match.');
      return open(reply, cookie, services);
    },
  }),
  route({
    method: 'POST',
    path: '/api/auth/sign-out',
    access: 'anyone',
    summary: 'End this session',
    body: nothing,
    status: 204,
    handle: async ({ cookie }, services) => {
      if (cookie.token !== null) await services.ask(peopleOperations.signOut, { token: cookie.token });
      cookie.forgetSecondFactor();
      cookie.close();
    },
  }),
  route({
    method: 'POST',
    path: '/api/auth/first-administrator',
    access: 'anyone',
    summary: 'Make the first administrator, with the bootstrap secret; 404 once there is one',
    body: z.strictObject({ secret: z.string().max(500), ...newPerson }),
    answer: me,
    handle: async ({ body, client, cookie }, services) =>
      open(await services.ask(peopleOperations.firstAdministrator, { ...body, ...client }), cookie, services),
  }),
];
