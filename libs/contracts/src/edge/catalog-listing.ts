import { z } from 'zod';
import type { EdgeRoute } from './admin-route';
import { catalogSnapshot } from '../catalog/catalog';

const none = z.strictObject({});
const answer = catalogSnapshot.pick({ models: true });

/** What the catalog knows of models, to be compared with documents. */
export const catalogListing = {
  method: 'GET',
  path: '/catalog',
  scope: 'config:read',
  summary: 'What the catalog knows of every model, as price documents are compared with it',
  body: none,
  answer,
} satisfies EdgeRoute<typeof none, typeof answer>;
