import { epochMs } from '@tollgate/contracts';
import { accountsOperations, changedKeySettings, keySummary, newKeySettings } from '@tollgate/contracts/accounts';
import { z } from 'zod';
import { firstSleepingKeys, keyPage, openedKey, readKey, readKeyPage, readSleepingKeys } from '../account/key-page';
import type { DashboardServices } from '../dashboard-services';
import { nothing, page, param, route } from '../route';

/** How keys are asked for that want attention. */
export const wantedAttention = z.strictObject({ endsBy: z.coerce.number().pipe(epochMs) });
export const keysForAttention = z.object({ ending: keyPage, asleep: keyPage });

/** How keys are asked for that sleep, of `limit` keys that work. */
export const wantedSleeping = z.strictObject({ accountId: z.string().min(1).max(200).optional(), ...page(500, 50) });

/** The first keys that work and end by a time, and the first that sleep. */
export async function readKeysForAttention(
  { endsBy }: z.output<typeof wantedAttention>,
  services: DashboardServices,
): Promise<z.infer<typeof keysForAttention>> {
  const [ending, asleep] = await Promise.all([
    readKeyPage(services, { endsBy, limit: 50 }),
    firstSleepingKeys(services),
  ]);
  return { ending, asleep };
}

/** The keys of everybody. */
export const adminKeyRoutes = [
  route({
    method: 'GET',
    path: '/api/admin/keys',
    access: 'administrator',
    summary:
      'All API keys, or those of one account, or those that work and end by a time (epoch milliseconds), or sleep',
    query: z.strictObject({
      accountId: z.string().min(1).max(200).optional(),
      endsBy: z.coerce.number().pipe(epochMs).optional(),
      asleep: z
        .literal('true')
        .optional()
        .describe('Those that were made, and last used, more than eight weeks ago; of `limit` keys that work'),
      ...page(500, 50),
    }),
    answer: keyPage,
    handle: ({ query: { asleep, ...query } }, services) =>
      asleep ? readSleepingKeys(services, query) : readKeyPage(services, query),
  }),
  route({
    method: 'GET',
    path: '/api/admin/keys/attention',
    access: 'administrator',
    summary: 'The first API keys that work and end by a time (epoch milliseconds), and the first that sleep',
    query: wantedAttention,
    answer: keysForAttention,
    handle: ({ query }, services) => readKeysForAttention(query, services),
  }),
  route({
    method: 'GET',
    path: '/api/admin/keys/:id',
    access: 'administrator',
    summary: 'One API key of anybody, of any state, and what it used',
    answer: openedKey,
    handle: (asked, services) => readKey(services, param(asked, 'id')),
  }),
  route({
    method: 'POST',
    path: '/api/admin/keys',
    access: 'administrator',
    isDoneOnce: true,
    summary: 'Make an API key for an account',
    body: z.strictObject({
      accountId: z.string().min(1).max(200),
      name: accountsOperations.createKey.request.shape.name,
      ...newKeySettings.shape,
    }),
    answer: z.object({ apiKey: z.string(), key: keySummary }),
    status: 201,
    handle: ({ body, signedIn: { person }, once }) =>
      once(accountsOperations.createKey, { ...body, actor: person.email }),
  }),
  route({
    method: 'PATCH',
    path: '/api/admin/keys/:id',
    access: 'administrator',
    summary:
      'Change name, plan, limits, models, expiry and logging of an API key; what is absent stays, `plan` is what the plan says',
    body: z.strictObject(changedKeySettings.shape),
    answer: z.object({ key: keySummary }),
    handle: (asked, services) => {
      const request = { ...asked.body, keyId: param(asked, 'id'), actor: asked.signedIn.person.email };
      return services.ask(accountsOperations.updateKey, request);
    },
  }),
  route({
    method: 'POST',
    path: '/api/admin/keys/:id/revoke',
    access: 'administrator',
    summary: 'Stop an API key for good',
    body: nothing,
    answer: z.object({ key: keySummary }),
    handle: (asked, services) => {
      const request = { keyId: param(asked, 'id'), actor: asked.signedIn.person.email };
      return services.ask(accountsOperations.revokeKey, request);
    },
  }),
];
