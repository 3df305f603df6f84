import type { OwnLimit } from '@tollgate/contracts/accounts';
import { z } from 'zod/mini';
import { formatCount } from '../format/number';
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

/** A limit as a form holds it: `own` counts only where it is chosen, and is kept while something else is. */
export interface LimitFields {
  choice: 'plan' | 'own' | 'unlimited';
  own: string;
}

/** An empty field is no wish to be without a limit: that is a choice of its own. */
export const limitFields: z.ZodMiniType<LimitFields, LimitFields> = z
  .object({ choice: z.enum(['plan', 'own', 'unlimited']), own: z.string() })
  .check(
    z.refine(({ choice, own }) => choice !== 'own' || wholeNumberFrom(own) !== null, {
      path: ['own'],
      error: 'Enter a whole number.',
    }),
  );

export function limitFieldsOf(limit: OwnLimit): LimitFields {
  if (limit === null) return { choice: 'unlimited', own: '' };
  return limit === 'plan' ? { choice: 'plan', own: '' } : { choice: 'own', own: String(limit) };
}

/** What fields ask for that have passed their check. */
export function limitFrom({ choice, own }: LimitFields): OwnLimit {
  if (choice === 'unlimited') return null;
  return choice === 'plan' ? 'plan' : (wholeNumberFrom(own) ?? 'plan');
}

/**
 * What it means to follow the plan. `ofPlan` null: the plan has no such limit; undefined: it is not known.
 */
export function planChoiceText(ofPlan: number | null | undefined): string {
  if (ofPlan === undefined) return 'As the plan says';
  return `As the plan says (${ofPlan === null ? 'no limit' : formatCount(ofPlan)})`;
}

/** A number as people write it: digits, with any spaces, points or commas between them. Null: it is none. */
function wholeNumberFrom(text: string): number | null {
  const digits = text.replace(/[\s.,_'’]/g, '');
  const value = Number(digits);
  return /^\d+$/.test(digits) && Number.isSafeInteger(value) ? value : null;
}
