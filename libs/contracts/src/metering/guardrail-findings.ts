import { z } from 'zod';
import type { EdgeRoute } from '../edge/admin-route';
import { epochMs } from '../epoch-ms';
import { guardrail, guardrailActions } from '../catalog/guardrails';
import { operation } from '../operation';
import { text } from '../text';

/** What a guardrail looks through: what callers send, or what models answer. */
export const guardrailSides = ['input', 'output'] as const;
export type GuardrailSide = (typeof guardrailSides)[number];

const finding = { guardrail: text(64), side: z.enum(guardrailSides), action: z.enum(guardrailActions) };

/**
 * In how many requests, or answers, of an hour (epoch milliseconds of its begin) a guardrail found something,
 * as one instance counted until now: told again it replaces what was told before, so that it may be sent
 * twice. No text and no key is told.
 */
const foundInHour = z.object({
  ...finding,
  hour: z.number().int().multipleOf(3_600_000),
  toldBy: text(256),
  count: z.number().int().positive(),
});
export type FoundInHour = z.infer<typeof foundInHour>;

/** `lastHour`: the begin of the last hour of the window in which it found something, epoch milliseconds. */
const guardrailCount = z.object({ ...finding, count: z.number().int(), lastHour: z.number() });
export type GuardrailCount = z.infer<typeof guardrailCount>;

/** So many findings are told in one message, and told apart in one list. */
export const mostGuardrailFindings = 500;

/** How often guardrails found something. Metering keeps it for 31 days. */
export const guardrailOperations = {
  record: operation(
    'metering.guardrails.record',
    z.object({ hours: z.array(foundInHour).min(1).max(mostGuardrailFindings) }),
    z.object({}),
  ),
  /** Sums of the hours that begin in [startAt, endAt), those with most findings first. */
  list: operation(
    'metering.guardrails.list',
    z.object({ startAt: epochMs, endAt: epochMs }),
    z.object({ counts: z.array(guardrailCount).max(mostGuardrailFindings) }),
  ),
};

/** About as much as a screen shows; it is looked through in the way of everybody's requests. */
const longestTried = 10_000;

/** What guardrails would do with a text: edge has it looked through in their way, and keeps nothing of it. */
export const guardrailTrial = {
  method: 'POST',
  path: '/guardrails/try',
  scope: 'config:read',
  summary: 'What the guardrails in force, or one that is not, would do with a text; nothing of it is kept',
  body: z.strictObject({
    text: z.string().min(1).max(longestTried),
    side: z.enum(guardrailSides).default('input'),
    model: z.string().min(1).max(200).optional().describe('As requests name it; absent: as if they held for all'),
    keyId: z.string().min(1).max(256).optional().describe('Absent: as if they held for every key'),
    draft: guardrail.optional().describe('One that is not in force, which is tried alone, in place of those that are'),
  }),
  answer: z.object({
    holding: z.number().int().describe('So many guardrails hold for it'),
    findings: z
      .array(z.object({ guardrail: z.string(), action: z.enum(guardrailActions) }))
      .describe('Of each that finds something, also behind one that blocks'),
    blockedBy: z.string().nullable(),
    goesOn: z.string().nullable().describe('The text as it would go on; null: it is blocked'),
  }),
} satisfies EdgeRoute<z.ZodObject, z.ZodType>;
