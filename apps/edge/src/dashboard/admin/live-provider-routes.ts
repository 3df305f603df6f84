import { GatewayError } from '@tollgate/contracts';
import { liveProviderOperations, providerKey } from '@tollgate/contracts/catalog';
import { z } from 'zod';
import { withSealedKey } from '../../admin-api/seal-given-key';
import { nothing, param, route } from '../route';
import { doRecorded, recordAct } from './record-act';

const { list, set, remove, setKey, removeKey } = liveProviderOperations;
const named = z.object({ provider: set.request.shape.provider, name: setKey.request.shape.name });

/** Providers that are set without tollgate.yaml, and their keys. */
export const liveProviderRoutes = [
  route({
    method: 'GET',
    path: '/api/admin/providers/live',
    access: 'administrator',
    summary: 'Providers that are set without the file, and their keys by name and last four characters',
    answer: list.reply,
    handle: (_asked, services) => services.ask(list, {}),
  }),
  route({
    method: 'PATCH',
    path: '/api/admin/providers/:provider',
    access: 'administrator',
    summary: 'Set a provider without the file, or change what of it is said',
    body: set.request.omit({ by: true, provider: true }),
    answer: set.reply,
    handle: (asked, services) =>
      doRecorded(set, { ...asked.body, provider: param(asked, 'provider') }, asked.signedIn, services),
  }),
  route({
    method: 'POST',
    path: '/api/admin/providers/:provider/remove',
    access: 'administrator',
    summary: 'Take a provider out of the settings, and its keys out of the database',
    body: remove.request.omit({ by: true, provider: true }),
    answer: remove.reply,
    handle: (asked, services) =>
      doRecorded(remove, { ...asked.body, provider: param(asked, 'provider') }, asked.signedIn, services),
  }),
  route({
    method: 'POST',
    path: '/api/admin/providers/:provider/keys/:name',
    access: 'administrator',
    summary: 'Give a key of a provider, which nothing tells again',
    body: z.strictObject({ key: providerKey, baseUrl: setKey.request.shape.baseUrl.optional() }),
    answer: setKey.reply,
    handle: async (asked, services) => {
      const key = keyOf(asked);
      await recordAct(setKey, key, asked.signedIn, services);
      const sealed = await withSealedKey({ ...key, ...asked.body }, services);
      return services.ask(setKey, setKey.request.parse({ ...sealed, by: asked.signedIn.person.email }));
    },
  }),
  route({
    method: 'POST',
    path: '/api/admin/providers/:provider/keys/:name/remove',
    access: 'administrator',
    summary: 'Remove a key of a provider for good',
    body: nothing,
    answer: removeKey.reply,
    handle: (asked, services) => doRecorded(removeKey, keyOf(asked), asked.signedIn, services),
  }),
];

/** @throws GatewayError 404 for what is no name. */
function keyOf(asked: Parameters<typeof param>[0]): z.output<typeof named> {
  const { data } = named.safeParse({ provider: param(asked, 'provider'), name: param(asked, 'name') });
  if (!data) throw new GatewayError(404, 'There is no such key.');
  return data;
}
