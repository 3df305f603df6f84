import { z } from 'zod';

/**
 * What an operator decided of a deployment, against whatever its health is. draining: it gets no new request;
 * closed: those that run there are ended, too. `by`: who decided; `since` and `until` are epoch milliseconds;
 * `until` null: until an operator opens it.
 */
export const deploymentHold = z.object({
  state: z.enum(['draining', 'closed']),
  reason: z.string().nullable(),
  by: z.string(),
  since: z.number().int(),
  until: z.number().int().nullable(),
});
export type DeploymentHold = z.infer<typeof deploymentHold>;

/**
 * How one inference instance sees one deployment. closed: it is used; open: it is left alone, for
 * `retryInMs` more; half-open: a few attempts at a time are let through. `timesOpened` counts since the
 * instance first tried it. `callers`: for how many API keys alone it is so; null: for all. `answersNobody`:
 * several keys ask, and none was answered since; of one that is closed: it lets requests wait, and said
 * nothing else than that it is busy, at least five times. `openForMs`: how long it is so, as far as somebody
 * asked; `lastBusyMs`: how long ago one that only said that it is busy said so last, null: it is none, or of
 * a former release; `why`: the HTTP status of the failure, `no answer` or `silence`; null, both, of one that
 * is closed and answers; `probes`: how many attempts run to see whether it works again. `concurrencyLimit`:
 * the most requests at once that its provider gets from this instance, null when there is no limit;
 * `inFlight` and `waiting` count those that have one of these places, and those that wait for one. `held`: an
 * operator's decision as the instance knows it, null: there is none.
 */
export const deploymentHealth = z.object({
  deployment: z.string(),
  provider: z.string(),
  state: z.enum(['closed', 'open', 'half-open']),
  timesOpened: z.number().int().nonnegative(),
  retryInMs: z.number().int().nonnegative(),
  concurrencyLimit: z.number().int().nullable(),
  callers: z.number().int().nonnegative().nullable().default(null),
  answersNobody: z.boolean().default(false),
  openForMs: z.number().int().nonnegative().nullable().default(null),
  lastBusyMs: z.number().int().nonnegative().nullable().default(null),
  why: z.string().nullable().default(null),
  probes: z.number().int().nonnegative().default(0),
  inFlight: z.number().int().nonnegative().default(0),
  waiting: z.number().int().nonnegative().default(0),
  held: deploymentHold.nullable().default(null),
});
export type DeploymentHealth = z.infer<typeof deploymentHealth>;

/**
 * A key of a provider that one inference instance leaves alone, where the provider has several. `key`: 1 for
 * the first that the operator gave; `deployment`: at this one alone, null: everywhere; `status`: what the
 * provider answered; `restsForMs`: for so much longer. `of`: how many keys the provider has; `mark`: tells it
 * from another one in its place, and nothing of the key; both null of former releases.
 */
export const providerKeyRest = z.object({
  provider: z.string(),
  key: z.number().int().positive(),
  deployment: z.string().nullable(),
  status: z.number().int(),
  restsForMs: z.number().int().nonnegative(),
  of: z.number().int().positive().nullable().default(null),
  mark: z.string().nullable().default(null),
});
export type ProviderKeyRest = z.infer<typeof providerKeyRest>;

/** What a provider answers where a key is right and its account has nothing left: at all models. */
const lacksCredit: ReadonlySet<number> = new Set([402, 429]);

/**
 * Why a key rests, in words with the status: its account is empty, it is out of a limit (which providers
 * count by model), or it was refused.
 */
export function whyKeyRests({ status, deployment }: Pick<ProviderKeyRest, 'status' | 'deployment'>): string {
  if (deployment === null && lacksCredit.has(status)) return `is out of credit or quota (${status})`;
  return status === 429 ? `reached a limit (${status})` : `is refused (${status})`;
}

/**
 * What one instance tells of all deployments that it tried: within a second of a change, and every five
 * seconds. Each notice replaces the one before; an instance that is silent for 15 s is gone. `restingKeys` is
 * empty where a provider has one key, and of former releases.
 */
export const healthReport = z.object({
  instance: z.string(),
  deployments: z.array(deploymentHealth),
  restingKeys: z.array(providerKeyRest).default([]),
});
export type HealthReport = z.infer<typeof healthReport>;

export const healthSubjects = { report: 'inference.health' } as const;
