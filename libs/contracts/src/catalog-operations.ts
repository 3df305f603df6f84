import { z } from 'zod';
import { deploymentHold } from './deployment-health';
import { operation } from './operation';
import { text } from './text';
import { toldSnapshot } from './told-snapshot';

/** What catalog is asked. */
export const catalogOperations = {
  snapshot: operation('catalog.snapshot.get', z.object({}), toldSnapshot),
  /**
   * Switches a model off, for everybody and also as a fallback, or on again. `not_found` for one that the
   * catalog does not have.
   */
  setModelEnabled: operation(
    'catalog.models.set-enabled',
    z.object({ model: text(200), enabled: z.boolean() }),
    z.object({ model: z.string(), enabled: z.boolean() }),
  ),
  /**
   * Closes a deployment, drains it, or opens it again. `forS`: for so long, absent: until it is opened.
   * Replies with the decision that holds now. `not_found` for one that the catalog does not have.
   */
  holdDeployment: operation(
    'catalog.deployments.hold',
    z.object({
      deployment: text(300),
      state: z.enum(['open', ...deploymentHold.shape.state.options]),
      reason: text(300).optional(),
      by: text(200),
      forS: z.number().int().positive().max(31_536_000).optional(),
    }),
    z.object({ held: deploymentHold.nullable() }),
  ),
};
