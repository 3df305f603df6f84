import type { PersonalDataKind } from '@tollgate/contracts/catalog';
import { LinearPattern } from './pattern/linear-pattern';
import { toPatternRule, toPersonalDataRule } from './rule';
import type { Rule } from './rule';
import { checkTexts } from './text-parts';
import { TextGate } from './text-gate';

/**
 * What begins so near to the end of a text that was cut cannot be told from what it is a part of. Tokens are
 * the longest.
 */
export const unclearEnd = 2_048;

/** Takes what detectors and patterns find out of texts that are kept, and go nowhere else. */
export class Redactor {
  private readonly rules: readonly Rule[];

  /** @throws PatternError for a pattern that cannot be taken. */
  constructor(detectors: readonly PersonalDataKind[], patterns: readonly string[]) {
    const made = patterns.map((source) => new LinearPattern(source));
    const of = { id: 'pattern', action: 'redact', longest: unclearEnd } as const;
    this.rules = [toPersonalDataRule(of, detectors), toPatternRule(of, made)];
  }

  /**
   * A text with a mark in each place of what was found, and how many those are. Of a text that is longer than
   * `most`, at least so many characters, and no part of what was cut.
   */
  redact(text: string, most: number): { text: string; found: number } {
    let found = 0;
    const gate = new TextGate(this.rules, () => (found += 1));
    const isWhole = text.length <= most + unclearEnd;
    if (isWhole) return { text: gate.push(text) + gate.end(), found };
    return { text: gate.push(text.slice(0, most + unclearEnd)), found };
  }

  /** Texts that follow one another, looked through each and as one, and how many places were taken out. */
  redactAll(texts: readonly string[]): { texts: readonly string[]; found: number } {
    let found = 0;
    const steps = checkTexts(
      this.rules,
      () => undefined,
      texts,
      () => (found += 1),
    );
    for (let step = steps.next(); ; step = steps.next()) if (step.done) return { texts: step.value.texts, found };
  }
}
