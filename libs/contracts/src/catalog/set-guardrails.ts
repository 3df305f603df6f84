import { z } from 'zod';
import { settingsOperations } from './catalog-operations';
import { guardrail } from './guardrails';
import { operation } from '../operation';
import { text } from '../text';

const { version, reason, by } = settingsOperations.apply.request.shape;
const { origin, standing, problem } = settingsOperations.show.reply.shape.entries.element.shape;
/** `version`: only where the settings are of this version; absent: whichever. */
const change = { version: version.optional(), reason, by };

/**
 * A guardrail of which tollgate.yaml or the settings say something. `said`: what the settings say, but its
 * id; null: it is of the file, or this release cannot read it.
 */
const setGuardrail = z.object({
  ...{ id: z.string(), origin, standing, problem },
  said: z.record(z.string(), z.unknown()).nullable(),
});
export type SetGuardrail = z.infer<typeof setGuardrail>;

/**
 * Guardrails that are set without the file. Each change is a version of the settings, with their history.
 * Catalog answers, `unavailable` while its database is away.
 */
export const setGuardrailOperations = {
  /** Those that the file has, and those of the newest version of the settings. */
  list: operation(
    'catalog.guardrails.list-set',
    z.object({}),
    z.object({ version, guardrails: z.array(setGuardrail) }),
  ),
  /**
   * Adds a guardrail, or puts this one in its place, as a whole. `mustBeNew`: `conflict` where there is one
   * of this id. `invalid` for patterns that cannot be taken, and where tollgate.yaml has it; `outdated` where
   * the settings are of another version.
   */
  set: operation(
    'catalog.guardrails.set',
    z.object({ guardrail, ...change, mustBeNew: z.boolean().optional() }),
    settingsOperations.apply.reply,
  ),
  /** It is gone. `not_found` where the settings have none of this id. */
  remove: operation(
    'catalog.guardrails.remove',
    z.object({ guardrail: text(64).min(1), ...change }),
    settingsOperations.apply.reply,
  ),
};
