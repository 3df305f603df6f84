import { mostOwnKeyCharacters, ownKeyOperations, type SignedIn } from '@tollgate/contracts';
import { z } from 'zod';
import { withSealedOwnKey } from '../../admin-api/seal-given-key';
import { nothing, param, route } from '../route';

const { list, set, remove } = ownKeyOperations;
const { keys, providers } = list.reply.shape;

/** Keys of providers that the account of who is signed in brings. */
export const ownKeyRoutes = [
  route({
    method: 'GET',
    path: '/api/own-keys',
    access: 'own-keys',
    summary:
      'Keys of providers that your account brought, by their last four characters, and which providers take some',
    answer: z.object({ keys, providers, canSeal: z.boolean() }),
    handle: async ({ signedIn: { account } }, services) => {
      const told = await services.ask(list, { account: account.id });
      return { keys: told.keys, providers: told.providers, canSeal: told.sealing !== null };
    },
  }),
  route({
    method: 'POST',
    path: '/api/own-keys/:provider',
    access: 'own-keys',
    summary: 'Give a key of a provider for your account, in the place of the one before; nothing tells it again',
    body: z.strictObject({
      key: z.string().min(1).max(mostOwnKeyCharacters),
      baseUrl: set.request.shape.baseUrl.optional(),
    }),
    answer: set.reply,
    handle: async (asked, services) => {
      const given = { ...asked.body, provider: param(asked, 'provider'), ...acting(asked.signedIn) };
      return services.ask(set, set.request.parse(await withSealedOwnKey(given, services)));
    },
  }),
  route({
    method: 'POST',
    path: '/api/own-keys/:provider/remove',
    access: 'own-keys',
    summary: 'Remove a key that your account brought, for good; its requests go with the operator’s again',
    body: nothing,
    answer: remove.reply,
    handle: (asked, services) =>
      services.ask(remove, { provider: param(asked, 'provider'), ...acting(asked.signedIn) }),
  }),
];

/** Who acts, and on which account. */
function acting({ person: { id, email }, account }: SignedIn) {
  return { account: account.id, by: id, actor: email };
}
