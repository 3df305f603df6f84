import { accountsOperations, keySettings, keySummary } from '@tollgate/contracts';
import { z } from 'zod';
import { nothing, page, param, route } from '../route';
import { keyPage, readKeyPage } from './key-page';

const longestOverlapS = 30 * 86_400;
/** Who a key belongs to sets this of it; the rest is for administrators. */
const ownSettings = keySettings.pick({ models: true, logContent: true, expiresAt: true }).partial();
const newKey = z.object({ apiKey: z.string().describe('Told this once'), key: keySummary });

/** The keys of who is signed in. */
export const keyRoutes = [
  route({
    method: 'GET',
    path: '/api/keys',
    access: 'person',
    summary: 'Your API keys and what they used',
    query: z.strictObject(page(500, 100)),
    answer: keyPage,
    handle: ({ query, signedIn: { account } }, services) => readKeyPage(services, { ...query, accountId: account.id }),
  }),
  route({
    method: 'POST',
    path: '/api/keys',
    access: 'person',
    summary: 'Make an API key; it works as soon as your account is approved',
    body: z.strictObject({
      name: z.string().trim().min(1, 'must not be empty').max(100),
      ...ownSettings.shape,
    }),
    answer: newKey,
    status: 201,
    handle: ({ body, signedIn: { account, person } }, services) =>
      services.ask(accountsOperations.createKey, { ...body, accountId: account.id, actor: person.email }),
  }),
  route({
    method: 'PATCH',
    path: '/api/keys/:id',
    access: 'person',
    summary: 'Change whether requests and answers of an API key are logged',
    body: z.strictObject(keySettings.pick({ logContent: true }).shape),
    answer: z.object({ key: keySummary }),
    handle: (asked, services) => services.ask(accountsOperations.updateKey, { ...ownKey(asked), ...asked.body }),
  }),
  route({
    method: 'POST',
    path: '/api/keys/:id/rotate',
    access: 'person',
    summary: 'Replace an API key; the old one goes on for a while',
    body: z.strictObject({ overlapS: z.number().int().min(0).max(longestOverlapS) }),
    answer: newKey.extend({ oldKey: keySummary }),
    handle: (asked, services) =>
      services.ask(accountsOperations.rotateKey, { ...ownKey(asked), overlapS: asked.body.overlapS }),
  }),
  route({
    method: 'POST',
    path: '/api/keys/:id/revoke',
    access: 'person',
    summary: 'Stop an API key for good',
    body: nothing,
    answer: z.object({ key: keySummary }),
    handle: (asked, services) => services.ask(accountsOperations.revokeKey, ownKey(asked)),
  }),
];

/** Accounts finds keys of this account only. */
function ownKey(
  asked: Parameters<typeof param>[0] & { signedIn: { account: { id: string }; person: { email: string } } },
) {
  const { account, person } = asked.signedIn;
  return { keyId: param(asked, 'id'), accountId: account.id, actor: person.email };
}
