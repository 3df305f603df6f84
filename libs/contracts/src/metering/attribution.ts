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

/** What usage of an account over a window is divided by: also by what its keys are for today. */
export const windowDimensions = [...sliceDimensions, 'project'] as const;
export type WindowDimension = (typeof windowDimensions)[number];

/** Of each name in it, characters; a longer one is told by its digest. A tag is no longer, or refused. */
export const longestAttributionName = 128;

/** Of a request, those of its key among them. */
export const mostTags = 16;
/** So a request may have as many of its own. */
const mostTagsOfKey = 8;

/** A name, or a name and a value. */
export const tagForm = /^[\w.:/@+-]+(?:=[\w.:/@+ -]*)?$/;
const tagWords = 'must be a name or name=value of the characters A-Z, a-z, 0-9 and _.:/@+- (in a value spaces, too)';
export const tagsOfKey = z.array(z.string().max(longestAttributionName).regex(tagForm, tagWords)).max(mostTagsOfKey);
