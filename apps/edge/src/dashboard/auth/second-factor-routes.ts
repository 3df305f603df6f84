import { GatewayError } from '@tollgate/contracts';
import { secondFactorCode, secondFactorOperations, secondFactorState } from '@tollgate/contracts/accounts';
import { z } from 'zod';
import { route } from '../route';
import { proof, toProof, wrongProof } from './factor-proof';
import { me, open, requirePatience } from './me';

const code = secondFactorCode;
const recoveryCodes = z.object({ recoveryCodes: z.array(z.string()) }).describe('Each signs in once; told this once');

/** The second factor beside a password: asked for when somebody signs in, and set up by whom it is of. */
export const secondFactorRoutes = [
  route({
    method: 'POST',
    path: '/api/auth/second-factor',
    access: 'anyone',
    summary: 'End a sign-in that the password began, with a code of an authenticator or a recovery code',
    body: z.strictObject({ code }),
    answer: me,
    handle: async ({ body, client, cookie }, services) => {
      const token = cookie.secondFactor;
      if (token === null) throw new GatewayError(400, 'This sign-in took too long: begin again with your password.');
      const reply = await services.ask(secondFactorOperations.finish, { ...body, ...client, token });
      if (reply.outcome === 'refused') throw wrongCode(401);
      return open(reply, cookie, services);
    },
  }),
  route({
    method: 'GET',
    path: '/api/auth/second-factor',
    access: 'person',
    beforeSecondFactor: true,
    summary: 'Whether you have a second factor, and how many recovery codes are left',
    answer: secondFactorState,
    handle: ({ signedIn: { person } }, services) => services.ask(secondFactorOperations.state, { personId: person.id }),
  }),
  route({
    method: 'POST',
    path: '/api/auth/second-factor/begin',
    access: 'person',
    beforeSecondFactor: true,
    summary: 'Make a secret for an authenticator, which counts once a code of it is confirmed; told this once',
    body: proof,
    answer: z.object({ secret: z.string(), uri: z.string() }),
    status: 201,
    handle: async ({ body, cookie, signedIn: { person } }, services) => {
      const request = { ...toProof(body, cookie), personId: person.id };
      const reply = requirePatience(await services.ask(secondFactorOperations.begin, request));
      if (reply.outcome === 'refused') throw wrongProof(body);
      const { secret, uri } = reply;
      return { secret, uri };
    },
  }),
  route({
    method: 'POST',
    path: '/api/auth/second-factor/confirm',
    access: 'person',
    beforeSecondFactor: true,
    summary: 'Confirm the secret with a code, which is asked for from now on; your other sessions end',
    body: z.strictObject({ code }),
    answer: recoveryCodes,
    handle: async ({ body, signedIn: { person, sessionId } }, services) => {
      const request = { ...body, personId: person.id, sessionId };
      const reply = requirePatience(await services.ask(secondFactorOperations.confirm, request));
      if (reply.outcome === 'refused') throw wrongCode(403);
      return { recoveryCodes: reply.recoveryCodes };
    },
  }),
  route({
    method: 'POST',
    path: '/api/auth/second-factor/recovery-codes',
    access: 'person',
    summary: 'Make ten recovery codes in the place of those you have',
    body: proof,
    answer: recoveryCodes,
    handle: async ({ body, cookie, signedIn: { person } }, services) => {
      const request = { ...toProof(body, cookie), personId: person.id };
      const reply = requirePatience(await services.ask(secondFactorOperations.renewRecoveryCodes, request));
      if (reply.outcome === 'refused') throw wrongProof(body);
      return { recoveryCodes: reply.recoveryCodes };
    },
  }),
  route({
    method: 'POST',
    path: '/api/auth/second-factor/remove',
    access: 'person',
    summary: 'Remove your authenticator: its codes are not asked for any more',
    body: proof,
    status: 204,
    handle: async ({ body, cookie, signedIn: { person } }, services) => {
      const request = { ...toProof(body, cookie), personId: person.id };
      const reply = requirePatience(await services.ask(secondFactorOperations.remove, request));
      if (reply.outcome === 'refused') throw wrongProof(body);
    },
  }),
];

function wrongCode(status: 401 | 403): GatewayError {
  return new GatewayError(status, 'This code is not right, or was used already. Wait for the next one.');
}
