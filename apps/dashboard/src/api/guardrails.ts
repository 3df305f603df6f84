import { setGuardrailOperations, type Guardrail, type SetGuardrail } from '@tollgate/contracts/catalog';
import { z } from 'zod/mini';
import { get, post, remove } from './client';

const action = z.enum(['block', 'redact', 'flag']);
const side = z.enum(['input', 'output']);
export type GuardrailSide = z.infer<typeof side>;

/** `keys`, `models` empty: of all. `looksFor`: its patterns, or the kinds of personal data. */
const listedGuardrail = z.object({
  id: z.string(),
  kind: z.string(),
  appliesTo: z.enum(['input', 'output', 'both']),
  action,
  keys: z.array(z.string()),
  models: z.array(z.string()),
  looksFor: z.array(z.string()),
});
export type ListedGuardrail = z.infer<typeof listedGuardrail>;

/** `lastHour`: the begin of the last hour in which it found something, epoch milliseconds. */
const guardrailCount = z.object({ guardrail: z.string(), side, action, count: z.number(), lastHour: z.number() });
export type GuardrailCount = z.infer<typeof guardrailCount>;

/** `goesOn` null: it is blocked, by `blockedBy`. */
const triedGuardrails = z.object({
  holding: z.number(),
  findings: z.array(z.object({ guardrail: z.string(), action })),
  blockedBy: z.nullable(z.string()),
  goesOn: z.nullable(z.string()),
});
export type TriedGuardrails = z.infer<typeof triedGuardrails>;

export type GuardrailWindow = 'day' | 'week' | 'month';

/** `counts` null: metering is away. */
export const fetchGuardrails = (window: GuardrailWindow) =>
  get(
    '/api/admin/guardrails',
    z.object({ data: z.array(listedGuardrail), counts: z.nullable(z.array(guardrailCount)) }),
    { window },
  );

/** A guardrail that is not in force, in the words of tollgate.yaml. */
export type GuardrailDraft = { id: string; appliesTo: 'both'; action: z.infer<typeof action> } & (
  | { kind: 'regex'; patterns: string[]; ignoreCase: boolean; longest?: number }
  | ({ kind: 'pii' } & Partial<Pick<Extract<Guardrail, { kind: 'pii' }>, 'detectors'>>)
);

/** `draft`: is tried alone, in place of those in force. */
interface TriedText {
  text: string;
  side: GuardrailSide;
  model?: string;
  keyId?: string;
  draft?: GuardrailDraft;
}

/** What guardrails would do with a text; nothing of it is kept. */
export const tryGuardrails = (tried: TriedText) => post('/api/admin/guardrails/try', tried, triedGuardrails);

const { list, set } = setGuardrailOperations;

export type { Guardrail, SetGuardrail };

/** Guardrails of which the file or the settings say something. */
export const fetchSetGuardrails = () => get('/api/admin/guardrails/settings', list.reply);
/** As a whole. `mustBeNew`: refused where there is one of this id. */
export const setGuardrail = (guardrail: Guardrail, mustBeNew: boolean) =>
  post('/api/admin/guardrails', { guardrail, mustBeNew }, set.reply);
export const removeGuardrail = (guardrail: string) => remove('/api/admin/guardrails/remove', { guardrail });
