import type { GuardrailAction } from '@tollgate/contracts';
import type { Finding, Rule } from './rule';

/** Hears what a rule found, without the text. */
export type OnFinding = (guardrail: string, action: GuardrailAction) => void;

/** So much of what has left stays known: what stands before a match says whether it is one. */
const contextLength = 8;

/**
 * A text that comes in pieces, on its way through the rules. As many characters as a match can have are held back, so that a match is found and taken out
 * wherever it was cut, up to the longest that its rule knows. When a rule blocks, nothing more leaves.
 */
export class TextGate {
  /** The rule that blocked the text, null while none did. */
  blockedBy: string | null = null;
  /** True once what left is not what came. */
  hasChanged = false;
  private readonly heldBack: number;
  /** Only what blocks or redacts makes a text wait. */
  private readonly isWatching: boolean;
  private context = '';
  private held = '';

  constructor(
    private readonly rules: readonly Rule[],
    private readonly onFinding: OnFinding,
  ) {
    this.heldBack = Math.max(0, ...rules.map(({ longest }) => longest));
    this.isWatching = rules.every(({ action }) => action === 'flag');
  }

  /** Takes a piece, returns what may go on. */
  push(piece: string): string {
    if (this.isWatching) return this.watch(piece, false);
    this.held += piece;
    return this.release(this.held.length - this.heldBack, false);
  }

  /** The text is over: returns the rest of it. */
  end(): string {
    if (this.isWatching) return this.watch('', true);
    return this.release(this.held.length, true);
  }

  /** Lets a piece go at once. What ends where a piece ends is judged when it is known what follows. */
  private watch(piece: string, isOver: boolean): string {
    const known = this.context.length;
    const text = this.context + piece;
    for (const { id, action, find } of this.rules)
      if (find(text).some(({ end }) => end >= known && (isOver || end < text.length))) this.onFinding(id, action);
    this.context = text.slice(-this.heldBack - contextLength);
    return piece;
  }

  /** Lets at least `wanted` characters go, more where a match goes on. A match that ends with what is known so far may turn out longer, or to be none. */
  private release(wanted: number, isOver: boolean): string {
    if (this.blockedBy !== null || (wanted <= 0 && !this.mayBlock)) return '';
    const text = this.context + this.held;
    const findings = this.rules.flatMap((rule) => rule.find(text).map((found) => ({ ...found, rule })));
    const blocking = findings.find(({ rule, end }) => rule.action === 'block' && (isOver || end < text.length));
    if (blocking) return this.block(blocking.rule);
    if (wanted <= 0) return '';
    return this.replace(text, findings, this.context.length + wanted);
  }

  private get mayBlock(): boolean {
    return this.rules.some(({ action }) => action === 'block');
  }

  private block({ id, action }: Rule): '' {
    this.blockedBy = id;
    this.held = '';
    this.onFinding(id, action);
    return '';
  }

  /** Lets the text go up to `until`, or to the end of a match that begins before. Of matches that overlap, the first leaves its mark. */
  private replace(text: string, findings: (Finding & { rule: Rule })[], until: number): string {
    let out = '';
    let from = this.context.length;
    for (const { start, end, mark, rule } of findings.sort((one, other) => one.start - other.start)) {
      if (start >= Math.max(until, from) || end <= this.context.length) continue;
      this.onFinding(rule.id, rule.action);
      if (rule.action !== 'redact' || end <= from) continue;
      this.hasChanged = true;
      if (start >= from) out += text.slice(from, start) + mark;
      from = end;
    }
    const left = Math.max(from, until);
    out += text.slice(from, left);
    this.context = text.slice(Math.max(0, left - contextLength), left);
    this.held = text.slice(left);
    return out;
  }
}
