import { z } from 'zod';
import { guardrailEntry } from './guardrail-entry';
import type { TollgateFile } from './load-tollgate-file';
import { deploymentEntry, modelEntry } from './model-entry';
import { readYaml, refuseRepeatedIds } from './read-yaml';
import { tollgateFileSchema } from './tollgate-file-schema';

/** What is set without tollgate.yaml, in its words. An absent section is empty. */
export type Settings = Pick<TollgateFile, 'models' | 'guardrails' | 'newModels' | 'locate'>;

/** A field or section that is known and stands elsewhere. */
const elsewhere = (where: string) => z.custom<undefined>((said) => said === undefined, { error: where }).optional();

/** A document may come from far away, and is looked through again with each look at the file. */
const mostEntries = 500;
const mostOfModel = 100;

/**
 * Prices make history: who applied another, and took it back, would have rated requests by both. A new model
 * needs one.
 */
const priced = elsewhere('a price stands in tollgate.yaml, or comes by tollgate prices update');
const settingsModel = modelEntry.extend({
  ...{ prices: priced, priceChanges: priced, priceUnconfirmed: priced },
  deployments: z
    .array(deploymentEntry.extend({ discount: priced, markup: priced }))
    .min(1)
    .max(mostOfModel)
    .optional(),
  aliases: modelEntry.shape.aliases.unwrap().max(mostOfModel).optional(),
  fallbacks: modelEntry.shape.fallbacks.unwrap().max(mostOfModel).optional(),
});

/**
 * Sections that grow by a key or an address stay in the file, whose owner has the environment: a provider
 * that a token may name could be sent any variable of it.
 */
export const settingsSchema = z.strictObject({
  models: z.array(settingsModel).max(mostEntries).nullish(),
  guardrails: z.array(guardrailEntry).max(mostEntries).nullish(),
  newModels: tollgateFileSchema.shape.newModels,
  providers: elsewhere('providers and their keys stand in tollgate.yaml and the environment alone'),
  plans: elsewhere('plans stand in tollgate.yaml alone'),
  contentLog: elsewhere('what is logged stands in tollgate.yaml alone'),
});

/**
 * Reads a document of settings: the sections `models`, `guardrails` and `newModels` of tollgate.yaml, as
 * there, without prices.
 * @throws TollgateFileError naming line, column and field of everything that is wrong.
 */
export function parseSettings(text: string): Settings {
  const { value, locate } = readYaml('settings', text, settingsSchema);
  const models = value.models ?? [];
  const guardrails = value.guardrails ?? [];
  refuseRepeatedIds({ models, guardrails }, locate);
  return { models, guardrails, newModels: value.newModels ?? null, locate };
}
