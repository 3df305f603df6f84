import { z } from 'zod';

/**
 * For whom a request was made, beside its key: what reports divide usage by. `endUser`: whom the caller's
 * application served. `session`: the conversation of an agent, or whatever else a client calls so. `agent`:
 * the program that asked, one of those that the gateway knows. `tags`: what the caller calls it by, each
 * once. Absent: nothing was said.
 */
export const attribution = z.object({
  endUser: z.string().optional(),
  session: z.string().optional(),
  agent: z.string().optional(),
  tags: z.array(z.string()).optional(),
});
export type Attribution = z.infer<typeof attribution>;

/** What usage is divided by, beside keys and models. What has several tags counts in each of them. */
export const sliceDimensions = ['end_user', 'session', 'agent', 'tag'] as const;
export type SliceDimension = (typeof sliceDimensions)[number];

/** Of each name in it, characters; a longer one is told by its digest. A tag is no longer, or refused. */
export const longestAttributionName = 128;

/** Of a request. */
export const mostTags = 16;
