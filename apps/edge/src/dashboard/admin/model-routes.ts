import { deployment } from '@tollgate/contracts';
import { z } from 'zod';
import { listedModel, toListedModels } from '../catalog/listed-model';
import { route } from '../route';

const adminModel = listedModel.extend({
  aliases: z.array(z.string()),
  fallbacks: z.array(z.string()).describe('Public model ids, tried in order'),
  deployments: z.array(deployment),
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
      const byId = new Map(snapshot.models.map((model) => [model.id, model]));
      const data = toListedModels(snapshot).map((listed) => {
        const { aliases = [], fallbacks = [], deployments = [] } = byId.get(listed.id) ?? {};
        return { ...listed, aliases, fallbacks, deployments };
      });
      return { data };
    },
  }),
];
