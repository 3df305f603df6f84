import { guardrail } from '@tollgate/contracts/catalog';
import type { Guardrail, GuardrailDraft } from '../api/guardrails';

/**
 * What somebody typed of a guardrail; `patterns`: one in each line; `keys`, `models`: with commas, empty:
 * all. `others`: fields that have no control here, which stay as they are said.
 */
export interface DraftFields {
  id: string;
  kind: GuardrailDraft['kind'];
  patterns: string;
  ignoreCase: boolean;
  action: GuardrailDraft['action'];
  appliesTo: Guardrail['appliesTo'];
  keys: string;
  models: string;
  others:
    | Pick<Extract<Guardrail, { kind: 'regex' }>, 'longest'>
    | Pick<Extract<Guardrail, { kind: 'pii' }>, 'detectors'>
    | null;
}

export const noDraft: DraftFields = {
  ...{ id: '', kind: 'regex', patterns: '', ignoreCase: false, action: 'flag', appliesTo: 'both' },
  ...{ keys: '', models: '', others: null },
};

/** What a guardrail says that is set; null: it cannot be read here. */
export function draftOf(id: string, said: object | null): DraftFields | null {
  const { data } = guardrail.safeParse({ id, ...said });
  if (!data) return null;
  const { kind, action, appliesTo, keys, models } = data;
  const fields = { ...noDraft, id, kind, action, appliesTo, keys: keys.join(', '), models: models.join(', ') };
  if (data.kind === 'pii') return { ...fields, others: { detectors: data.detectors } };
  const { patterns, ignoreCase, longest } = data;
  return { ...fields, patterns: patterns.join('\n'), ignoreCase, others: { longest } };
}

/** As the gateway takes it. What holds for requests and for answers is tried for either. */
export function toDraft({ kind, patterns, ignoreCase, action, others }: DraftFields): GuardrailDraft {
  const draft = { id: 'draft', appliesTo: 'both' as const, action };
  if (kind === 'pii') return { ...draft, kind, ...(others && 'detectors' in others && others) };
  return { ...draft, kind, ignoreCase, patterns: linesOf(patterns), ...(others && 'longest' in others && others) };
}

/** As it is set. @throws where it is no guardrail: its message says why. */
export function toGuardrail(fields: DraftFields): Guardrail {
  const { id, appliesTo, keys, models } = fields;
  const { data, error } = guardrail.safeParse({
    ...toDraft(fields),
    ...{ id: id.trim(), appliesTo, keys: wordsOf(keys), models: wordsOf(models) },
  });
  if (data) return data;
  throw new Error(error.issues.map(({ path, message }) => `${path.join('.')} ${message}`).join('; '));
}

const linesOf = (text: string) => text.split('\n').filter((line) => line.trim() !== '');
const wordsOf = (text: string) =>
  text
    .split(',')
    .map((word) => word.trim())
    .filter(Boolean);
