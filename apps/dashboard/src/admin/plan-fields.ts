import { z } from 'zod/mini';
import { limitFields } from './limit-choice';
import { modelLimitsField } from './model-limits';

/** What is typed of a plan, whose name is none of those that are `taken`: it is set as a whole. */
export const planFields = (taken: readonly string[]) =>
  z.object({
    plan: z.string().check(
      z.regex(/^[a-z][a-z0-9-]{0,99}$/, 'Use lower-case letters, digits and dashes.'),
      z.refine(
        (name) => !taken.includes(name),
        'There is a plan of this name already. Choose another name, or change that plan.',
      ),
    ),
    rpm: limitFields,
    tpm: limitFields,
    quotaTokens: limitFields,
    concurrency: limitFields,
    modelLimits: modelLimitsField,
    reason: z.string(),
  });

export type PlanFields = z.infer<ReturnType<typeof planFields>>;
