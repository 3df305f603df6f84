import {
  accountsOperations,
  changedKeySettings,
  keySettings,
  keySummary,
  type SignedIn,
} from '@tollgate/contracts/accounts';
import { z } from 'zod';
import { keysOf, requirePermission } from '../require-permission';
import { nothing, page, param, route } from '../route';
import { keyPage, readKeyPage } from './key-page';

const longestOverlapS = 30 * 86_400;
/** Who a key belongs to sets this of it; the rest is for administrators. */
const ownSettings = keySettings.pick({ models: true, logContent: true, expiresAt: true }).partial();
const newKey = z.object({ apiKey: z.string().describe('Told this once'), key: keySummary });

/**
 * The keys of the account of who is signed in. Who may not change all of them finds only their own where one
 * is changed.
 */
export const keyRoutes = [
  route({
    method: 'GET',
    path: '/api/keys',
    access: 'keys:read',
    summary: 'Your API keys and what they used',
    query: z.strictObject(page(500, 100)),
    answer: keyPage,
    handle: ({ query, signedIn: { account } }, services) => readKeyPage(services, { ...query, accountId: account.id }),
  }),
  route({
    method: 'POST',
    path: '/api/keys',
    access: 'keys:own',
    isDoneOnce: true,
    summary: 'Make an API key; it works as soon as your account is approved',
    body: z.strictObject({
      name: accountsOperations.createKey.request.shape.name,
      forMachine: z.boolean().default(false).describe('It goes on when you leave; owners and administrators make such'),
      ...ownSettings.shape,
    }),
    answer: newKey,
    status: 201,
    handle: async ({ body: { forMachine, ...body }, signedIn, once }) => {
      const { account, person } = signedIn;
      if (forMachine) requirePermission(signedIn, 'keys:all');
      const whose = forMachine ? {} : { personId: person.id };
      return once(accountsOperations.createKey, {
        ...{ ...body, ...whose },
        ...{ accountId: account.id, actor: person.email },
      });
    },
  }),
  route({
    method: 'PATCH',
    path: '/api/keys/:id',
    access: 'keys:own',
    summary: 'Change the name of an API key, or whether its requests and answers are logged; what is absent stays',
    body: z
      .strictObject(changedKeySettings.pick({ name: true, logContent: true }).shape)
      .refine((change) => Object.keys(change).length > 0, 'Say what to change: name or logContent.'),
    answer: z.object({ key: keySummary }),
    handle: (asked, services) => services.ask(accountsOperations.updateKey, { ...ownKey(asked), ...asked.body }),
  }),
  route({
    method: 'POST',
    path: '/api/keys/:id/rotate',
    access: 'keys:own',
    isDoneOnce: true,
    summary: 'Replace an API key; the old one goes on for a while',
    body: z.strictObject({ overlapS: z.number().int().min(0).max(longestOverlapS) }),
    answer: newKey.extend({ oldKey: keySummary }),
    handle: (asked) => asked.once(accountsOperations.rotateKey, { ...ownKey(asked), overlapS: asked.body.overlapS }),
  }),
  route({
    method: 'POST',
    path: '/api/keys/:id/revoke',
    access: 'keys:own',
    summary: 'Stop an API key for good',
    body: nothing,
    answer: z.object({ key: keySummary }),
    handle: (asked, services) => services.ask(accountsOperations.revokeKey, ownKey(asked)),
  }),
];

/** A key that who asks may change. */
function ownKey(asked: Parameters<typeof param>[0] & { signedIn: SignedIn }) {
  return { keyId: param(asked, 'id'), ...keysOf(asked.signedIn), actor: asked.signedIn.person.email };
}
