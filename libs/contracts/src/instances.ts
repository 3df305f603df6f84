import { z } from 'zod';
import type { EdgeRoute } from './edge/admin-route';

/**
 * One running process of a service, as it tells it itself. `version`: the release that it was built from;
 * `instance`: host name (in a container its id) and process id;
 * `startedAt`: epoch milliseconds.
 */
export const runningInstance = z.object({
  service: z.string(),
  version: z.string(),
  instance: z.string(),
  startedAt: z.number().int(),
});
export type RunningInstance = z.infer<typeof runningInstance>;

/**
 * After `ask` every instance of every service that runs now tells of itself under `told`: no inbox, so that
 * none of them may write where others have questions answered.
 */
export const instanceSubjects = { ask: 'instances.ask', told: 'instances.told' } as const;

const none = z.strictObject({});
const listed = z.object({ data: z.array(runningInstance) });

/** Edge asks all of them. */
export const instanceList = {
  method: 'GET',
  path: '/instances',
  scope: 'deployments:read',
  summary: 'Which instances of which service run, and which release each of them is',
  body: none,
  answer: listed,
} satisfies EdgeRoute<typeof none, typeof listed>;

/**
 * The releases that run, each once, the one that most instances run first. Two of them: an upgrade is under
 * way, or was left half-way.
 */
export function releasesOf(instances: readonly Pick<RunningInstance, 'version'>[]): string[] {
  const counts = new Map<string, number>();
  for (const { version } of instances) counts.set(version, (counts.get(version) ?? 0) + 1);
  return [...counts]
    .sort(([one, of], [other, than]) => than - of || (one < other ? -1 : 1))
    .map(([version]) => version);
}
