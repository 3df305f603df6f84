import { z } from 'zod';
import { sealingKey } from '../catalog/live-providers';

/**
 * A model that a provider lists. `contextWindow` null, others absent: it does not tell. `createdAt`: epoch
 * seconds; `endsOn`: the day of its end; `replacement`: what it calls the model to use instead.
 */
export const listedByProvider = z.object({
  name: z.string(),
  contextWindow: z.number().int().positive().nullable(),
  createdAt: z.number().int().positive().optional(),
  endsOn: z.iso.date().optional(),
  replacement: z.string().min(1).max(200).optional(),
});
export type ListedByProvider = z.infer<typeof listedByProvider>;

/**
 * Each inference instance tells every five seconds (and when it changes) which providers it holds credentials
 * for.
 */
export const inferenceAnnouncement = z.object({
  instance: z.string(),
  sandbox: z.boolean(),
  providers: z.array(z.string()),
  /** What providers with `discover` listed the last time, by provider id. */
  listed: z.record(z.string(), z.array(listedByProvider)).default({}),
  /** Which sealed keys of providers it can open: the newest first, which others are to seal with. */
  opens: z.array(sealingKey).default([]),
  /** Why it cannot use a provider that is set without the file, or one of its keys, by provider id. */
  faults: z.record(z.string(), z.string()).default({}),
});
export type InferenceAnnouncement = z.infer<typeof inferenceAnnouncement>;
