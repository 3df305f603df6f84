import type { GuardrailDraft } from '../api/guardrails';

/** What somebody typed of a guardrail that is not in force; `patterns`: one in each line. */
export interface DraftFields {
  kind: GuardrailDraft['kind'];
  patterns: string;
  ignoreCase: boolean;
  action: GuardrailDraft['action'];
}

export const noDraft: DraftFields = { kind: 'regex', patterns: '', ignoreCase: false, action: 'flag' };

/** As the gateway takes it. What holds for requests and for answers is tried for either. */
export function toDraft({ kind, patterns, ignoreCase, action }: DraftFields): GuardrailDraft {
  const draft = { id: 'draft', appliesTo: 'both' as const, action };
  const lines = patterns.split('\n').filter((line) => line.trim() !== '');
  return kind === 'pii' ? { ...draft, kind } : { ...draft, kind, ignoreCase, patterns: lines };
}
