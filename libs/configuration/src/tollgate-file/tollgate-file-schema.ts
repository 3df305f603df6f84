import { z } from 'zod';
import { contentLogEntry } from './content-log-entry';
import { guardrailEntry } from './guardrail-entry';
import { modelEntry } from './model-entry';
import { planEntries } from './plan-limits';
import { providerEntry } from './provider-entry';

/** The whole of tollgate.yaml. Every section may be absent or empty. */
export const tollgateFileSchema = z.strictObject({
  providers: z.array(providerEntry).nullish(),
  models: z.array(modelEntry).nullish(),
  plans: planEntries.nullish(),
  guardrails: z.array(guardrailEntry).nullish(),
  contentLog: contentLogEntry.nullish(),
  /**
   * What becomes of models that a built-in provider lists and the catalog lacks, where its entry says nothing
   * else.
   */
  newModels: z.enum(['at-once', 'on-approval', 'never']).nullish(),
});
