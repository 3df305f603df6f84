import type { Rule } from './rule';
import { TextGate } from './text-gate';
import type { OnFinding } from './text-gate';

/** Texts as they may go on. `blockedBy`: the rule that none of them passes, null: they may. */
export interface CheckedTexts {
  readonly texts: readonly string[];
  readonly blockedBy: string | null;
}

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly mark: string;
}

/** Characters that are looked at in one step. */
const pieceLength = 65_536;

/**
 * Looks through texts that follow one another: each by itself, and all as one, as a match may be spread over
 * them.
 * Stops after each piece and tells its length, for whoever lets others have their turn. `onMark` hears of
 * each place that was taken out, once, however often something was found there.
 */
export function* checkTexts(
  rules: readonly Rule[],
  onFinding: OnFinding,
  texts: readonly string[],
  onMark: () => void = () => undefined,
): Generator<number, CheckedTexts> {
  const edits: Edit[] = [];
  const ways = texts.length > 1 ? [...texts.map((text) => [text]), texts] : [texts];
  let offset = 0;
  for (const [index, way] of ways.entries()) {
    if (index === texts.length) offset = 0;
    const blockedBy = yield* look(rules, onFinding, way, offset, edits);
    if (blockedBy !== null) return { texts: [], blockedBy };
    offset += texts[index]?.length ?? 0;
  }
  return { texts: edited(texts, edits, onMark), blockedBy: null };
}

/**
 * Looks through texts as if they were one. Returns what blocked them, and adds what is to be taken out to
 * `edits`.
 */
function* look(
  rules: readonly Rule[],
  onFinding: OnFinding,
  texts: readonly string[],
  offset: number,
  edits: Edit[],
): Generator<number, string | null> {
  const gate = new TextGate(rules, onFinding, (start, end, mark) =>
    edits.push({ start: offset + start, end: offset + end, mark }),
  );
  let last = '';
  for (const text of texts)
    for (let at = 0; at < text.length; at += pieceLength) {
      if (last !== '') gate.push(last);
      last = text.slice(at, at + pieceLength);
      yield last.length;
    }
  gate.end(last);
  return gate.blockedBy;
}

/**
 * The texts without what the edits take out, whose places are those of the texts in a row. Of edits that
 * overlap, the first leaves its mark, where it begins.
 */
function edited(texts: readonly string[], edits: Edit[], onMark: () => void): readonly string[] {
  if (edits.length === 0) return texts;
  edits.sort((one, other) => one.start - other.start || other.end - one.end);
  let next = 0;
  let told = 0;
  let until = 0;
  return texts.map((text) => {
    const from = until;
    until += text.length;
    let out = '';
    for (let edit = edits[next]; edit && edit.start < until; edit = edits[++next]) {
      if (edit.end <= told) continue;
      if (edit.start >= told) {
        out += text.slice(Math.max(told, from) - from, edit.start - from) + edit.mark;
        onMark();
      }
      told = edit.end;
    }
    return out + text.slice(Math.min(Math.max(told, from), until) - from);
  });
}
