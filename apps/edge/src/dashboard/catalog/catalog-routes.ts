import { z } from 'zod';
import { route } from '../route';
import { listedModel, toListedModels } from './listed-model';

/** The models, for everybody. */
export const catalogRoutes = [
  route({
    method: 'GET',
    path: '/api/catalog',
    access: 'anyone',
    summary: 'Every model of the catalog, and whether it is live',
    answer: z.object({ models: z.array(listedModel), sandbox: z.boolean() }),
    handle: async (_asked, { catalog }) => ({ models: toListedModels(catalog.snapshot()), sandbox: catalog.isSandbox }),
  }),
];
