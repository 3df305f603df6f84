import { z } from 'zod';
import { dialectName } from './surface';

/** A regular expression, for the names of a provider's models. */
export const modelPattern = z.string().refine(isPattern, 'must be a regular expression');

/**
 * A rule of a provider: requests with tools go to `dialect`, which it also speaks, because its main one
 * refuses them, or forgets the reasoning between two turns.
 * `models` is a pattern for the names of models there. `callers` translated: only those who speak neither of
 * the two dialects. `unasked`: also a request that names no effort.
 * `efforts`: also a request without tools that names one of these. `always`: every request, since the main
 * dialect does not have these models.
 */
export const toolsElsewhere = z.object({
  dialect: dialectName,
  models: modelPattern,
  callers: z.enum(['all', 'translated']).default('all'),
  unasked: z.boolean().default(true),
  efforts: z.array(z.string()).default([]),
  always: z.boolean().default(false),
});

/**
 * A further dialect at a path of its own, on the host of the base URL: the key goes nowhere else. `tools` is
 * a pattern for types of tools: only requests of that dialect's callers go there which offer one and which
 * the main dialect cannot say, since everything else loses less in that. Null: every request of that
 * dialect's callers.
 */
export const dialectAt = z.object({
  dialect: dialectName,
  path: z.string().regex(/^\/(?:[\w.~-]+\/)*[\w.~-]+$/, 'a path begins with a slash and ends without one'),
  tools: z.string().refine(isPattern, 'must be a regular expression').nullable().default(null),
});

/**
 * How models whose names fit `models` are told not to think, where the effort `none` tells them nothing: by
 * `thinking: { type: "disabled" }`, or by `enable_thinking: false`.
 */
export const thinkingSwitch = z.object({ models: modelPattern, member: z.enum(['thinking', 'enable_thinking']) });

function isPattern(text: string): boolean {
  try {
    new RegExp(text);
    return true;
  } catch {
    return false;
  }
}
