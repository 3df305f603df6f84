import { mostOwnKeyCharacters, ownKeyOperations, type SignedIn } from '@tollgate/contracts/accounts';
import { projectName } from '@tollgate/contracts/metering';
import { z } from 'zod';
import { withSealedOwnKey } from '../../admin-api/seal-given-key';
import { param, route } from '../route';

const { list, set, remove, change, setForProject, removeForProject, changeForProject } = ownKeyOperations;
const { keys, providers, projectKeys } = list.reply.shape;
const project = projectName.optional().describe('for its keys alone; absent: for the whole account');

/** Keys of providers that the account of who is signed in brings. */
export const ownKeyRoutes = [
  route({
    method: 'GET',
    path: '/api/own-keys',
    access: 'own-keys',
    summary:
      'Keys of providers that your account brought, by their last four characters, and which providers take some',
    answer: z.object({ keys, projectKeys, providers, canSeal: z.boolean() }),
    handle: async ({ signedIn: { account } }, services) => {
      const told = await services.ask(list, { account: account.id });
      const { keys: all, projectKeys: ofProjects } = told;
      return { keys: all, projectKeys: ofProjects, providers: told.providers, canSeal: told.sealing !== null };
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
      fallsBack: set.request.shape.fallsBack,
      project,
    }),
    answer: z.object({ key: setForProject.reply.shape.key.partial({ project: true }) }),
    handle: async (asked, services) => {
      const given = { ...asked.body, provider: param(asked, 'provider'), ...acting(asked.signedIn) };
      const sealed = await withSealedOwnKey(given, services);
      if (asked.body.project === undefined) return services.ask(set, set.request.parse(sealed));
      return services.ask(setForProject, setForProject.request.parse(sealed));
    },
  }),
  route({
    method: 'POST',
    path: '/api/own-keys/:provider/fall-back',
    access: 'own-keys',
    summary:
      'Choose whether requests go on with the operator’s key, at its prices, where the provider refuses or limits yours',
    body: z.strictObject({ fallsBack: change.request.shape.fallsBack, project }),
    answer: z.object({ key: setForProject.reply.shape.key.partial({ project: true }) }),
    handle: ({ body, ...asked }, services) => {
      const { fallsBack, project: of } = body;
      const named = { provider: param(asked, 'provider'), fallsBack, ...acting(asked.signedIn) };
      return of === undefined ? services.ask(change, named) : services.ask(changeForProject, { ...named, project: of });
    },
  }),
  route({
    method: 'POST',
    path: '/api/own-keys/:provider/remove',
    access: 'own-keys',
    summary:
      'Remove a key that your account brought, for good; its requests go with the operator’s again, or, where there is none, its models are not there any more',
    body: z.strictObject({ project }),
    answer: remove.reply,
    handle: ({ body, ...asked }, services) => {
      const named = { provider: param(asked, 'provider'), ...acting(asked.signedIn) };
      if (body.project === undefined) return services.ask(remove, named);
      return services.ask(removeForProject, { ...named, project: body.project });
    },
  }),
];

/** Who acts, and on which account. */
function acting({ person: { id, email }, account }: SignedIn) {
  return { account: account.id, by: id, actor: email };
}
