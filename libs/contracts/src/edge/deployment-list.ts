import { z } from 'zod';
import type { EdgeRoute } from './admin-route';
import { deploymentHealth, deploymentHold } from '../inference/deployment-health';

const none = z.strictObject({});

const listedDeployment = z.object({
  id: z.string(),
  provider: z.string(),
  models: z.array(z.string()).describe('Public ids of the models that are generated there'),
  held: deploymentHold.nullable().describe('What an operator decided; null: nothing'),
  standing: deploymentHealth
    .omit({ deployment: true, provider: true, held: true })
    .extend({ instances: z.number().int() })
    .nullable()
    .describe('As the inference instance sees it that sees the worst; null: none tried it'),
});
export type ListedDeployment = z.infer<typeof listedDeployment>;

const answer = z.object({ data: z.array(listedDeployment) });

/** Edge hears how inference sees deployments, and catalog tells it of what operators decided. */
export const deploymentList = {
  method: 'GET',
  path: '/deployments',
  scope: 'deployments:read',
  summary: 'Every deployment: how the inference instances see it, and what an operator decided of it',
  body: none,
  answer,
} satisfies EdgeRoute<typeof none, typeof answer>;
