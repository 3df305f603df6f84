import { GatewayError } from '@tollgate/contracts';
import {
  newPasskey,
  passkey,
  passkeyAnswer,
  passkeyName,
  passkeyOperations,
  passkeyOptions,
} from '@tollgate/contracts/accounts';
import { z } from 'zod';
import type { DashboardServices } from '../dashboard-services';
import { nothing, param, route } from '../route';
import type { SessionCookie } from '../session-cookie';
import { challengeOf, proof, toProof, wrongProof } from './factor-proof';
import { me, open, requirePatience } from './me';

const options = z.object({ options: passkeyOptions });

/** Passkeys: they sign in by themselves, or stand beside a password as a code does. */
export const passkeyRoutes = [
  route({
    method: 'POST',
    path: '/api/auth/passkey/begin',
    access: 'anyone',
    summary: 'What to ask a passkey with, to sign in; after a password those of its person alone',
    body: nothing,
    answer: options,
    handle: ({ client, cookie }, services) =>
      ask({ personId: null, attempt: cookie.secondFactor, address: client.address }, cookie, services),
  }),
  route({
    method: 'POST',
    path: '/api/auth/passkey',
    access: 'anyone',
    summary: 'Sign in with the answer of a passkey, by itself or after the password',
    body: z.strictObject({ answer: passkeyAnswer }),
    answer: me,
    handle: async ({ body, client, cookie }, services) => {
      const request = { ...body, ...client, token: challengeOf(cookie) };
      const reply = requirePatience(await services.ask(passkeyOperations.signIn, request));
      if (reply.outcome === 'refused')
        throw new GatewayError(401, 'This passkey was refused, or is not known here any more. Sign in in another way.');
      return open(reply, cookie, services);
    },
  }),
  route({
    method: 'GET',
    path: '/api/auth/passkeys',
    access: 'person',
    beforeSecondFactor: true,
    summary: 'Your passkeys',
    answer: z.object({ data: z.array(passkey) }),
    handle: async ({ signedIn: { person } }, services) => ({
      data: (await services.ask(passkeyOperations.list, { personId: person.id })).passkeys,
    }),
  }),
  route({
    method: 'POST',
    path: '/api/auth/passkeys/prove',
    access: 'person',
    summary: 'What to ask one of your passkeys with, as a proof beside your password',
    body: nothing,
    answer: options,
    handle: ({ client, cookie, signedIn: { person } }, services) =>
      ask({ personId: person.id, attempt: null, address: client.address }, cookie, services),
  }),
  route({
    method: 'POST',
    path: '/api/auth/passkeys/begin',
    access: 'person',
    beforeSecondFactor: true,
    summary: 'What to make a passkey with',
    body: proof,
    answer: options,
    handle: async ({ body, cookie, signedIn: { person } }, services) => {
      const request = { ...toProof(body, cookie), personId: person.id };
      const reply = requirePatience(await services.ask(passkeyOperations.beginAdding, request));
      if (reply.outcome === 'refused') throw wrongProof(body);
      cookie.awaitPasskey(reply.token);
      return { options: reply.options };
    },
  }),
  route({
    method: 'POST',
    path: '/api/auth/passkeys',
    access: 'person',
    beforeSecondFactor: true,
    summary: 'Add the passkey that was made; with your first second factor your other sessions end',
    body: z.strictObject({ name: passkeyName, made: newPasskey }),
    answer: z.object({
      passkey,
      recoveryCodes: z
        .array(z.string())
        .nullable()
        .describe('Each signs in once in the place of a code; told this once. Null: you have those already'),
    }),
    status: 201,
    handle: async ({ body, cookie, signedIn: { person, sessionId } }, services) => {
      const request = { ...body, personId: person.id, sessionId, token: challengeOf(cookie) };
      const reply = await services.ask(passkeyOperations.add, request);
      if (reply.outcome === 'refused') throw new GatewayError(403, 'This passkey was refused; try again.');
      return { passkey: reply.passkey, recoveryCodes: reply.recoveryCodes };
    },
  }),
  route({
    method: 'PATCH',
    path: '/api/auth/passkeys/:id',
    access: 'person',
    summary: 'Give one of your passkeys another name',
    body: z.strictObject({ name: passkeyName }),
    answer: passkeyOperations.rename.reply,
    handle: (asked, services) => {
      const request = { ...asked.body, personId: asked.signedIn.person.id, passkeyId: param(asked, 'id') };
      return services.ask(passkeyOperations.rename, request);
    },
  }),
  route({
    method: 'POST',
    path: '/api/auth/passkeys/:id/remove',
    access: 'person',
    summary: 'Remove one of your passkeys',
    body: proof,
    status: 204,
    handle: async (asked, services) => {
      const { body, cookie, signedIn } = asked;
      const request = { ...toProof(body, cookie), personId: signedIn.person.id, passkeyId: param(asked, 'id') };
      const reply = requirePatience(await services.ask(passkeyOperations.remove, request));
      if (reply.outcome === 'refused') throw wrongProof(body);
    },
  }),
];

async function ask(
  request: z.input<typeof passkeyOperations.ask.request>,
  cookie: SessionCookie,
  services: DashboardServices,
): Promise<z.input<typeof options>> {
  const replaces = cookie.passkey ?? undefined;
  const reply = requirePatience(await services.ask(passkeyOperations.ask, { ...request, replaces }));
  cookie.awaitPasskey(reply.token);
  return { options: reply.options };
}
