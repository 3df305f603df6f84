import type { Rule } from './rule';
import { TextGate } from './text-gate';
import type { OnFinding } from './text-gate';

/** The rules that hold for one request or its answer. It tells of each rule once, however often it finds something. */
export class Guard {
  private readonly told = new Set<string>();

  constructor(
    readonly rules: readonly Rule[],
    private readonly onFinding: OnFinding,
  ) {}

  /** A way through the rules for a text that comes in pieces. */
  gate(): TextGate {
    return new TextGate(this.rules, (guardrail, action) => {
      if (this.told.has(guardrail)) return;
      this.told.add(guardrail);
      this.onFinding(guardrail, action);
    });
  }

  /** Looks through a whole text. `blockedBy` null: `text` may go on. */
  check(whole: string): { text: string; blockedBy: string | null } {
    const gate = this.gate();
    const text = gate.push(whole) + gate.end();
    return { text, blockedBy: gate.blockedBy };
  }
}
