import type { ContentLogRules } from '@tollgate/contracts';
import { Redactor } from '@tollgate/guardrails';

/** The operator's rules, ready for use. */
export interface Policy {
  readonly rules: ContentLogRules;
  readonly redactor: Redactor;
}

export function toPolicy(rules: ContentLogRules): Policy {
  return { rules, redactor: new Redactor([...new Set([...rules.detectors, 'api-key' as const])], rules.patterns) };
}
