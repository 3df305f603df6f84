import { z } from 'zod';
import { personalDataKinds } from '@tollgate/contracts/catalog';
import { contentLogRules, type ContentLogRules } from '@tollgate/contracts/metering';
import { guardrailEntry, refusePatterns } from './guardrail-entry';
import { modelEntry } from './model-entry';
import { planEntries } from './plan-limits';
import { providerEntry } from './provider-entry';

const { retentionDays, maxBodyBytes, detectors, patterns } = contentLogRules.shape;

const fields = z.strictObject({
  enabled: z.boolean(),
  retentionDays: retentionDays.default(30),
  maxBodyBytes: maxBodyBytes.default(65_536),
  detectors: detectors.default([...personalDataKinds]),
  patterns: patterns.default([]),
});

/** Whether and how requests and answers are logged, as tollgate.yaml says it. Null: it is switched off. */
const contentLogEntry = fields
  .superRefine((entry, context) =>
    refusePatterns(entry.patterns, (path, message) => context.addIssue({ code: 'custom', path, message })),
  )
  .transform(({ enabled, ...rules }): ContentLogRules | null => (enabled ? rules : null));

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
