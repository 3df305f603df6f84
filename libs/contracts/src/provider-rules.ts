import { z } from 'zod';
import { dialectName } from './surface';

/** A regular expression, for the names of a provider's models. */
export const modelPattern = z.string().refine(isPattern, 'must be a regular expression');

/**
 * A rule of a provider: requests with tools go to `dialect`, which it also speaks, because its main one refuses them, or forgets the reasoning between two turns.
 * `models` is a pattern for the names of models there. `callers` translated: only those who speak neither of the two dialects. `unasked`: also a request that names no effort.
 * `efforts`: also a request without tools that names one of these.
 */
export const toolsElsewhere = z.object({
  dialect: dialectName,
  models: modelPattern,
  callers: z.enum(['all', 'translated']).default('all'),
  unasked: z.boolean().default(true),
  efforts: z.array(z.string()).default([]),
});

function isPattern(text: string): boolean {
  try {
    new RegExp(text);
    return true;
  } catch {
    return false;
  }
}
