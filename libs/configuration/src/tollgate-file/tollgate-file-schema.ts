import { z } from 'zod';
import { contentLogEntry } from './content-log-entry';
import { guardrailEntry } from './guardrail-entry';
import { modelEntry } from './model-entry';
import { planEntry } from './plan-limits';
import { providerEntry } from './provider-entry';

/** The whole of tollgate.yaml. Every section may be absent or empty. */
export const tollgateFileSchema = z.strictObject({
  providers: z.array(providerEntry).nullish(),
  models: z.array(modelEntry).nullish(),
  plans: z
    .record(
      z.string().regex(/^[a-z][a-z0-9-]*$/, 'a plan is named by lower-case letters, digits and dashes'),
      planEntry,
    )
    .nullish(),
  guardrails: z.array(guardrailEntry).nullish(),
  contentLog: contentLogEntry.nullish(),
  /**
   * What becomes of models that a built-in provider lists and the catalog lacks, where its entry says nothing
   * else.
   */
  newModels: z.enum(['at-once', 'on-approval', 'never']).nullish(),
});
