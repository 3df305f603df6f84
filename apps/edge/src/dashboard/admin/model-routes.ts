import { administrationOperations, catalogOperations, deployment } from '@tollgate/contracts';
import { z } from 'zod';
import { listedModel, toListedModels } from '../catalog/listed-model';
import { route } from '../route';

const adminModel = listedModel.extend({
  aliases: z.array(z.string()),
  fallbacks: z.array(z.string()).describe('Public model ids, tried in order'),
  deployments: z.array(deployment),
  enabled: z.boolean().describe('False: an administrator switched it off'),
});

/** The catalog with what callers do not see. */
export const adminModelRoutes = [
  route({
    method: 'GET',
    path: '/api/admin/models',
    access: 'administrator',
    summary: 'Every model with its aliases, fallbacks and deployments',
    answer: z.object({ data: z.array(adminModel) }),
    handle: async (_asked, { catalog }) => {
      const snapshot = catalog.snapshot();
      const disabled = new Set(snapshot.disabled);
      const byId = new Map(snapshot.models.map((model) => [model.id, model]));
      const data = toListedModels(snapshot).map((listed) => {
        const { aliases = [], fallbacks = [], deployments = [] } = byId.get(listed.id) ?? {};
        return { ...listed, aliases, fallbacks, deployments, enabled: !disabled.has(listed.id) };
      });
      return { data };
    },
  }),
  route({
    method: 'POST',
    path: '/api/admin/models/switch',
    access: 'administrator',
    summary: 'Switch a model off, for everybody and also as a fallback, or on again',
    body: catalogOperations.setModelEnabled.request,
    answer: catalogOperations.setModelEnabled.reply,
    handle: async ({ body, signedIn }, backstage) => {
      const { accountId, email: actor } = signedIn.person;
      const action = body.enabled ? 'model-enabled' : 'model-disabled';
      // Catalog has no audit log: accounts keeps what happens there. What cannot be written down is not done.
      await backstage.ask(administrationOperations.recordAct, {
        accountId,
        actor,
        action,
        detail: { model: body.model },
      });
      return backstage.ask(catalogOperations.setModelEnabled, body);
    },
  }),
];
