import { z } from 'zod';
import { guardrailEntry } from './guardrail-entry';
import type { TollgateFile } from './load-tollgate-file';
import { deploymentEntry, modelEntry } from './model-entry';
import { settingsProvider, type SettingsProvider, elsewhere } from './settings-provider';
import { readYaml, refuseRepeatedIds } from './read-yaml';
import { planEntries } from './plan-limits';
import { tollgateFileSchema } from './tollgate-file-schema';

/** What is set without tollgate.yaml, in its words. An absent section is empty. */
export interface Settings extends Pick<TollgateFile, 'models' | 'plans' | 'guardrails' | 'newModels' | 'locate'> {
  providers: SettingsProvider[];
}

/** A document may come from far away, and is looked through again with each look at the file. */
const mostEntries = 500;
const mostOfModel = 100;

/**
 * Prices make history: who applied another, and took it back, would have rated requests by both. They are set
 * apart, each from an instant on.
 */
const priced = elsewhere('a price stands in tollgate.yaml, or is set by tollgate prices set');
const factored = elsewhere('it stands in tollgate.yaml, or is set by tollgate factors set');
const settingsModel = modelEntry.extend({
  ...{ prices: priced, priceChanges: priced, priceUnconfirmed: priced },
  deployments: z
    .array(deploymentEntry.extend({ discount: factored, markup: factored }))
    .min(1)
    .max(mostOfModel)
    .optional(),
  aliases: modelEntry.shape.aliases.unwrap().max(mostOfModel).optional(),
  fallbacks: modelEntry.shape.fallbacks.unwrap().max(mostOfModel).optional(),
});

/** Providers without anything of the environment: whoever may set one need not be who has that. */
export const settingsSchema = z.strictObject({
  providers: z.array(settingsProvider).max(mostOfModel).nullish(),
  models: z.array(settingsModel).max(mostEntries).nullish(),
  plans: planEntries.nullish(),
  guardrails: z.array(guardrailEntry).max(mostEntries).nullish(),
  newModels: tollgateFileSchema.shape.newModels,
  contentLog: elsewhere('what is logged stands in tollgate.yaml alone'),
});

/**
 * Reads a document of settings: the sections `providers`, `models`, `plans`, `guardrails` and `newModels` of
 * tollgate.yaml, as there, without prices and without names of the environment.
 * @throws TollgateFileError naming line, column and field of everything that is wrong.
 */
export function parseSettings(text: string): Settings {
  const { value, locate } = readYaml('settings', text, settingsSchema);
  const providers = value.providers ?? [];
  const models = value.models ?? [];
  const guardrails = value.guardrails ?? [];
  refuseRepeatedIds({ providers, models, guardrails }, locate);
  return { providers, models, plans: value.plans ?? {}, guardrails, newModels: value.newModels ?? null, locate };
}
