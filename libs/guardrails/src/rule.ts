import type { Guardrail, GuardrailAction, PersonalDataKind } from '@tollgate/contracts/catalog';
import type { FoldedText } from './folding/folded-texts';
import type { Match } from './match';
import { LinearPattern } from './pattern/linear-pattern';
import { findPersonalData, longestPersonalData } from './personal-data';

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
  if (guardrail.kind === 'pii')
    return toPersonalDataRule({ id, action, longest: longestPersonalData }, guardrail.detectors);
  const { ignoreCase, longest } = guardrail;
  const patterns = guardrail.patterns.map((source) => new LinearPattern(source, ignoreCase, longest));
  return toPatternRule({ id, action, longest }, patterns);
}

/** A rule that looks for personal data; each is marked by its kind. */
export function toPersonalDataRule(of: Omit<Rule, 'find'>, detectors: readonly PersonalDataKind[]): Rule {
  return { ...of, find: (text) => detectors.flatMap((kind) => marked(findPersonalData(kind, text), kind)) };
}

/** A rule that looks for patterns; what is found is marked by the rule's id. */
export function toPatternRule(of: Omit<Rule, 'find'>, patterns: readonly LinearPattern[]): Rule {
  return { ...of, find: (text) => patterns.flatMap((pattern) => marked(pattern.findAll(text), of.id)) };
}

/**
 * What a rule finds in a text and in its plainer writings, as places of the text. A match that goes to the
 * end of a writing goes to the end of the text: what nobody sees there is a part of it.
 */
export function findFolded(rule: Rule, text: string, foldings: readonly FoldedText[]): Finding[] {
  const found = rule.find(text);
  for (const { text: folded, starts, ends } of foldings) {
    const places = rule.find(folded).map(({ start, end, mark }) => ({
      start: starts[start] ?? 0,
      end: end === folded.length ? text.length : (ends[end - 1] ?? text.length),
      mark,
    }));
    for (const place of notWithin(found, places)) found.push(place);
  }
  return found;
}

/** Those of the places that are no part of one that is known. */
function notWithin(known: readonly Finding[], places: readonly Finding[]): Finding[] {
  const inOrder = [...known].sort((one, other) => one.start - other.start);
  let next = 0;
  let reached = -1;
  const sorted = [...places].sort((one, other) => one.start - other.start);
  return sorted.filter(({ start, end }) => {
    for (let one = inOrder[next]; one && one.start <= start; one = inOrder[++next])
      reached = Math.max(reached, one.end);
    return end > reached;
  });
}

function marked(matches: readonly Match[], what: string): Finding[] {
  return matches.map((match) => ({ ...match, mark: `[redacted:${what}]` }));
}
