import { z } from 'zod';

/**
 * How one inference instance sees one deployment. closed: it is used; open: it is left alone, for `retryInMs` more; half-open: one attempt at a time is let
 * through. `timesOpened` counts since the instance first tried it. `concurrencyLimit`: the most requests at once that its provider gets from this instance, null when there is no limit.
 */
export const deploymentHealth = z.object({
  deployment: z.string(),
  provider: z.string(),
  state: z.enum(['closed', 'open', 'half-open']),
  timesOpened: z.number().int().nonnegative(),
  retryInMs: z.number().int().nonnegative(),
  concurrencyLimit: z.number().int().nullable(),
});
export type DeploymentHealth = z.infer<typeof deploymentHealth>;

/** What one instance tells of all deployments that it tried: within a second of a change, and every five seconds. Each notice replaces the one before; an instance that is silent for 15 s is gone. */
export const healthReport = z.object({ instance: z.string(), deployments: z.array(deploymentHealth) });
export type HealthReport = z.infer<typeof healthReport>;

export const healthSubjects = { report: 'inference.health' } as const;
