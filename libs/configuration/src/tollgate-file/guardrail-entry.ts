import { guardrail, personalDataKinds } from '@tollgate/contracts/catalog';
import type { Guardrail } from '@tollgate/contracts/catalog';
import { LinearPattern, PatternError } from '@tollgate/guardrails';
import { z } from 'zod';

/** The fields that belong to one kind of guardrail alone. */
const ofKind = { regex: ['patterns', 'ignoreCase', 'longest'], pii: ['detectors'] } as const;

/**
 * A guardrail of tollgate.yaml. Its fields are those of every kind, so that a misspelt one gets its
 * suggestion; `ofKind` says which belong together.
 */
export const guardrailFields = z.strictObject({
  id: z
    .string()
    .regex(/^[a-z][a-z0-9-]{0,63}$/, 'must begin with a lower-case letter, and hold those, digits and dashes only'),
  kind: z.enum(['regex', 'pii']),
  patterns: z.array(z.string().min(1)).min(1).max(50).optional(),
  ignoreCase: z.boolean().optional(),
  longest: z.number().int().min(1).max(1_000).optional(),
  detectors: z.array(z.enum(personalDataKinds)).min(1).optional(),
  appliesTo: z.enum(['input', 'output', 'both']),
  action: z.enum(['block', 'redact', 'flag']),
  keys: z.array(z.string().min(1).max(200)).max(1_000).optional(),
  models: z.array(z.string().min(1).max(200)).max(500).optional(),
});

export const guardrailEntry = guardrailFields
  .superRefine((entry, context) => {
    const foreign = entry.kind === 'pii' ? ofKind.regex : ofKind.pii;
    const refuse = (path: (string | number)[], message: string) => context.addIssue({ code: 'custom', path, message });
    for (const field of foreign)
      if (entry[field] !== undefined) refuse([field], `does not belong to a guardrail of the kind ${entry.kind}`);
    if (entry.kind === 'regex' && entry.patterns === undefined) refuse(['patterns'], 'is missing');
    refusePatterns(entry.patterns ?? [], refuse);
  })
  .transform((entry): Guardrail => guardrail.parse(entry));

/** Refuses the patterns that cannot be taken, each by its place in the section. */
export function refusePatterns(
  patterns: readonly string[],
  refuse: (path: (string | number)[], message: string) => void,
): void {
  for (const [index, pattern] of patterns.entries()) {
    const problem = problemOf(pattern);
    if (problem !== null) refuse(['patterns', index], `the pattern ${problem}`);
  }
}

/** Why a pattern cannot be taken; null when it can. */
function problemOf(pattern: string): string | null {
  try {
    new LinearPattern(pattern);
    return null;
  } catch (error) {
    if (error instanceof PatternError) return error.message;
    throw error;
  }
}
