import { z } from 'zod';
import { callerKey } from './accounts';

/** What a plan is called. */
export const planName = z
  .string()
  .max(100)
  .regex(/^[a-z][a-z0-9-]*$/, 'a plan is named by lower-case letters, digits and dashes');

/** The limits of a plan, those of `callerKey`, for each of its keys; null: none. */
export const planLimits = z.object({
  ...callerKey.pick({ rpm: true, tpm: true, quotaTokens: true, concurrency: true }).shape,
  modelLimits: callerKey.shape.modelLimits,
});

/**
 * A plan by its name, and who says it: the release, tollgate.yaml, or the settings that are set without it.
 * `keys`: those not revoked that have it, by themselves or of their account; `accounts`: those that have it.
 * An accounts service of the release before tells none of these: null.
 */
export const plan = z.object({
  name: z.string(),
  ...planLimits.shape,
  origin: z.enum(['release', 'file', 'settings']).default('release'),
  keys: z.number().int().nullable().default(null),
  accounts: z.number().int().nullable().default(null),
});
export type Plan = z.infer<typeof plan>;
