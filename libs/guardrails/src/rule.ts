import type { Guardrail, GuardrailAction } from '@tollgate/contracts';
import type { Match } from './match';
import { LinearPattern } from './pattern/linear-pattern';
import { findPersonalData, longestPersonalData } from './personal-data/detectors';

/** What a rule found in a text. `mark` stands in its place when it is redacted. */
export interface Finding extends Match {
  readonly mark: string;
}

/** A guardrail that is ready to look through texts. `longest`: the most characters that a match has. */
export interface Rule {
  readonly id: string;
  readonly action: GuardrailAction;
  readonly longest: number;
  readonly find: (text: string) => Finding[];
}

/** @throws PatternError for a pattern that cannot be taken. */
export function toRule(guardrail: Guardrail): Rule {
  const { id, action } = guardrail;
  if (guardrail.kind === 'pii') {
    const { detectors } = guardrail;
    const find = (text: string) => detectors.flatMap((kind) => marked(findPersonalData(kind, text), kind));
    return { id, action, longest: longestPersonalData, find };
  }
  const { ignoreCase, longest } = guardrail;
  const patterns = guardrail.patterns.map((source) => new LinearPattern(source, ignoreCase, longest));
  return { id, action, longest, find: (text) => patterns.flatMap((pattern) => marked(pattern.findAll(text), id)) };
}

function marked(matches: readonly Match[], what: string): Finding[] {
  return matches.map((match) => ({ ...match, mark: `[redacted:${what}]` }));
}
