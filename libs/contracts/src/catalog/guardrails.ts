import { z } from 'zod';

/** What the detectors of personal data and secrets look for. */
export const personalDataKinds = ['email', 'phone', 'credit-card', 'iban', 'ip-address', 'api-key'] as const;
export type PersonalDataKind = (typeof personalDataKinds)[number];

/**
 * block: the request or the answer is refused; redact: a mark stands in the place of what was found; flag: it
 * is counted, and nothing else.
 */
export const guardrailActions = ['block', 'redact', 'flag'] as const;
export type GuardrailAction = (typeof guardrailActions)[number];

const ofEvery = {
  id: z
    .string()
    .regex(/^[a-z][a-z0-9-]{0,63}$/, 'must begin with a lower-case letter, and hold those, digits and dashes'),
  appliesTo: z.enum(['input', 'output', 'both']),
  action: z.enum(guardrailActions),
  keys: z.array(z.string().min(1).max(200)).max(1_000).default([]),
  models: z.array(z.string().min(1).max(200)).max(500).default([]),
};

/** A rule that texts are looked through by. */
const rules = [
  z.strictObject({
    ...ofEvery,
    kind: z.literal('regex'),
    patterns: z.array(z.string().min(1)).min(1).max(50),
    ignoreCase: z.boolean().default(false),
    longest: z.number().int().min(1).max(1_000).default(128),
  }),
  z.strictObject({
    ...ofEvery,
    kind: z.literal('pii'),
    detectors: z
      .array(z.enum(personalDataKinds))
      .min(1)
      .default([...personalDataKinds]),
  }),
] as const;

/**
 * A guardrail of the operator. `keys` (ids) and `models` (patterns, as those of a key) say for which requests
 * it holds; empty: for all. `longest`: the most characters that a match can have; so many of a streamed
 * answer are held back.
 */
export const guardrail = z.discriminatedUnion('kind', rules);
export type Guardrail = z.infer<typeof guardrail>;
