import type { Rule } from './rule';
import { checkTexts } from './text-parts';
import type { CheckedTexts } from './text-parts';
import { TextGate } from './text-gate';
import type { OnFinding } from './text-gate';

/**
 * The rules that hold for one request or its answer. It tells of each rule once, however often it finds
 * something.
 */
export class Guard {
  private readonly told = new Set<string>();

  constructor(
    readonly rules: readonly Rule[],
    private readonly onFinding: OnFinding,
  ) {}

  /** A way through the rules for a text that comes in pieces. */
  gate(): TextGate {
    return new TextGate(this.rules, this.tellOnce);
  }

  /**
   * Looks through texts that follow one another, also as one; in steps, each of which tells how many
   * characters it took.
   */
  check(texts: readonly string[]): Generator<number, CheckedTexts> {
    return checkTexts(this.rules, this.tellOnce, texts);
  }

  private readonly tellOnce: OnFinding = (guardrail, action) => {
    if (this.told.has(guardrail)) return;
    this.told.add(guardrail);
    this.onFinding(guardrail, action);
  };
}
