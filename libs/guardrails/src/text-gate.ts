import type { GuardrailAction } from '@tollgate/contracts/catalog';
import { foldedTexts } from './folding/folded-texts';
import type { FoldedText } from './folding/folded-texts';
import { findFolded } from './rule';
import type { Finding, Rule } from './rule';

/** Hears what a rule found, without the text. */
export type OnFinding = (guardrail: string, action: GuardrailAction) => void;

/** A part of a text that is taken out, by its place in the whole text; `mark` stands there instead. */
export type OnEdit = (start: number, end: number, mark: string) => void;

/** So much of what has left stays known: what stands before a match says whether it is one. */
const contextLength = 8;
/** The same, where invisible characters may be among it. */
const foldedContextLength = 64;

type FindingOf = Finding & { readonly rule: Rule };

/**
 * A text that comes in pieces, on its way through the rules. As many characters as a match can have are held
 * back, so that a match is found and taken out wherever it was cut, up to the longest that its rule knows.
 * When a rule blocks, nothing more leaves.
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
  /** Where in the whole text `context` begins. */
  private offset = 0;
  /** Characters that are waited for before the rules look again. */
  private nextLook = 0;

  constructor(
    private readonly rules: readonly Rule[],
    private readonly onFinding: OnFinding,
    private readonly onEdit: OnEdit = () => undefined,
  ) {
    this.heldBack = Math.max(0, ...rules.map(({ longest }) => longest));
    this.isWatching = rules.every(({ action }) => action === 'flag');
  }

  /** Takes a piece, returns what may go on. */
  push(piece: string): string {
    this.held += piece;
    if (this.context.length + this.held.length < this.nextLook) return this.isWatching ? piece : '';
    return this.isWatching ? this.watch(piece, false) : this.release(false);
  }

  /** The text is over, with this piece: returns the rest of it. What is known as the last is looked at once. */
  end(last = ''): string {
    this.held += last;
    return this.isWatching ? this.watch(last, true) : this.release(true);
  }

  /** Lets a piece go at once. What ends where a piece ends is judged when it is known what follows. */
  private watch(piece: string, isOver: boolean): string {
    const known = this.context.length;
    const text = this.context + this.held;
    const foldings = foldedTexts(text);
    for (const rule of this.rules)
      if (findFolded(rule, text, foldings).some(({ end }) => end >= known && (isOver || end < text.length)))
        this.onFinding(rule.id, rule.action);
    this.keep(text, text.length, this.reach(text, foldings, this.heldBack), foldings.length > 0);
    return piece;
  }

  /**
   * Lets go what no match can begin in, more where a match goes on. A match that ends with what is known so
   * far may turn out longer, or to be none.
   */
  private release(isOver: boolean): string {
    const isEnough = isOver || this.held.length > this.heldBack;
    if (this.blockedBy !== null || (!isEnough && !this.mayBlock)) return '';
    const text = this.context + this.held;
    const foldings = foldedTexts(text);
    const findings = this.rules.flatMap((rule) =>
      findFolded(rule, text, foldings).map((found): FindingOf => ({ ...found, rule })),
    );
    const blocking = findings.find(({ rule, end }) => rule.action === 'block' && (isOver || end < text.length));
    if (blocking) return this.block(blocking.rule);
    const until = isOver ? text.length : this.reach(text, foldings, this.heldBack);
    if (!isOver && until <= this.context.length) {
      this.lookAgain(text.length, foldings.length > 0);
      return '';
    }
    return this.replace(text, foldings, findings, until);
  }

  private get mayBlock(): boolean {
    return this.rules.some(({ action }) => action === 'block');
  }

  /** Where in a text the last `units` begin, in whichever writing that is first. Never within a character. */
  private reach(text: string, foldings: readonly FoldedText[], units: number): number {
    let from = Math.max(0, text.length - units);
    for (const folded of foldings) from = Math.min(from, folded.starts[folded.text.length - units] ?? 0);
    const isInPair = /^[\uDC00-\uDFFF]/.test(text.slice(from, from + 1));
    return isInPair && from > 0 ? from - 1 : from;
  }

  private block({ id, action }: Rule): '' {
    this.blockedBy = id;
    this.held = '';
    this.onFinding(id, action);
    return '';
  }

  /**
   * Lets the text go up to `until`, or to the end of a match that begins before. Of matches that overlap, the
   * first leaves its mark.
   */
  private replace(
    text: string,
    foldings: readonly FoldedText[],
    findings: readonly FindingOf[],
    until: number,
  ): string {
    let out = '';
    let from = this.context.length;
    for (const { start, end, mark, rule } of [...findings].sort((one, other) => one.start - other.start)) {
      if (start >= Math.max(until, from) || end <= this.context.length) continue;
      this.onFinding(rule.id, rule.action);
      if (rule.action !== 'redact' || end <= from) continue;
      this.hasChanged = true;
      if (start >= from) out += text.slice(from, start) + mark;
      this.onEdit(this.offset + Math.max(start, from), this.offset + end, start >= from ? mark : '');
      from = end;
    }
    const left = Math.max(from, until);
    out += text.slice(from, left);
    this.keep(text, left, left, foldings.length > 0);
    return out;
  }

  /**
   * Keeps what stands behind `left`, which has gone, and before it what says whether a match that begins at
   * `from` is one.
   */
  private keep(text: string, left: number, from: number, isFolded: boolean): void {
    const begin = Math.max(0, from - (isFolded ? foldedContextLength : contextLength));
    this.offset += begin;
    this.context = text.slice(begin, left);
    this.held = text.slice(left);
    this.lookAgain(text.length - begin, isFolded);
  }

  /**
   * Much that is invisible may be kept without an end: it is looked at again when it has grown by a part of
   * itself, so that all looks together stay in proportion to the text.
   */
  private lookAgain(kept: number, isFolded: boolean): void {
    this.nextLook = isFolded && kept > 4 * this.heldBack + foldedContextLength ? kept * 1.25 : 0;
  }
}
