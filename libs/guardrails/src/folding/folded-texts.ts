import { confusables } from './confusables';

/**
 * A text in a plainer writing. For each unit of it: where in the original what it stands for begins and ends.
 */
export interface FoldedText {
  readonly text: string;
  readonly starts: Int32Array;
  readonly ends: Int32Array;
}

/**
 * A code point, or a letter with its marks, in each writing. `told`: what it says in plain letters, seen or
 * not.
 */
interface Written {
  readonly normal: string;
  readonly plain: string;
  readonly told: string;
}

interface Writing extends Written {
  readonly isMark: boolean;
}

/**
 * What nobody sees: zero-width characters, soft hyphens, marks of direction, selectors of variants, and
 * control characters, but for those that are white space.
 * https://www.unicode.org/reports/tr44/#Default_Ignorable_Code_Point
 */
const invisible = /[\p{Cf}\p{Default_Ignorable_Code_Point}]|(?![\s\x85])\p{Cc}/gu;
const combiningMark = /^\p{M}$/u;
/**
 * Of scripts whose letters look like Latin ones. In others a letter with a mark is another letter, and would
 * have each of their texts be looked at once more.
 */
const accented = /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}]/u;
/**
 * ASCII in tags, which nobody sees and models read: https://www.unicode.org/charts/PDF/UE0000.pdf
 * All of them begin with this half of a pair.
 */
const tag = /[\u{E0020}-\u{E007E}]/gu;
const halfOfTag = '\udb40';
const decimalDigit = /^\p{Nd}$/u;
/** Texts in the wild have fewer: https://www.unicode.org/reports/tr15/#Stream_Safe_Text_Format */
const mostMarks = 30;
/** Characters whose writings are remembered at most; then all are forgotten. */
const mostKnown = 20_000;
const known = new Map<number, Writing>();

/** What is known of each UTF-16 unit; 0: nothing yet. Halves of pairs are `folded`, as it depends on both. */
const kinds = new Uint8Array(0x1_0000);
const [same, folded, mark] = [1, 2, 3];

/**
 * The text as it reads: in Unicode's NFKC without invisible characters; and that with Latin letters and ASCII
 * digits for what looks like them, and without accents and other combining marks; where it has tags, that
 * with what they say, too. Only those that differ from the text and from one another. Takes time in
 * proportion to the text.
 */
export function foldedTexts(text: string): FoldedText[] {
  let at = nextFolded(text, 0);
  if (at === text.length) return [];
  const [normal, plain] = [new Folding(text), new Folding(text)];
  const told = text.includes(halfOfTag) ? new Folding(text) : null;
  for (let from = 0; at < text.length; at = nextFolded(text, from)) {
    const start = at > from && kindOf(text.charCodeAt(at)) === mark ? at - 1 : at;
    const end = endOfCharacter(text, start);
    const writing = writingOf(text, start, end);
    normal.add(writing.normal, start, end);
    plain.add(writing.plain, start, end);
    told?.add(writing.told, start, end);
    from = end;
  }
  const all = told ? [normal, plain, told] : [normal, plain];
  for (const folding of all) folding.end();
  return all.filter((one, index) => one.text !== text && all.findIndex((other) => other.text === one.text) === index);
}

/** It takes no memory, nor time, as long as it is the text itself. */
class Folding implements FoldedText {
  text = '';
  starts: Int32Array = new Int32Array(0);
  ends: Int32Array = new Int32Array(0);
  /** Up to here the original is in it. */
  private from = 0;

  constructor(private readonly original: string) {}

  /** Another writing of a part of the original, behind what was added before. */
  add(written: string, start: number, end: number): void {
    if (written === this.original.slice(start, end)) return;
    this.copy(start);
    const before = this.room(written.length);
    this.starts.fill(start, before, before + written.length);
    this.ends.fill(end, before, before + written.length);
    this.text += written;
    this.from = end;
  }

  /** The rest of the original stays as it is. */
  end(): void {
    if (this.from === 0) this.text = this.original;
    else this.copy(this.original.length);
  }

  private copy(until: number): void {
    const { from } = this;
    const before = this.room(until - from);
    for (let index = 0; index < until - from; index++) {
      this.starts[before + index] = from + index;
      this.ends[before + index] = from + index + 1;
    }
    this.text += this.original.slice(from, until);
  }

  /** Makes room for more units, and returns how many there are. */
  private room(more: number): number {
    const { length } = this.text;
    if (length + more > this.starts.length)
      [this.starts, this.ends] = [this.starts, this.ends].map((places) => {
        const larger = new Int32Array(Math.max(this.original.length, 2 * (length + more)));
        larger.set(places);
        return larger;
      }) as [Int32Array, Int32Array];
    return length;
  }
}

/**
 * The first unit at a place or behind it that is written in another way, or makes what stands before it be.
 */
function nextFolded(text: string, from: number): number {
  let at = from;
  while (at < text.length && kindOf(text.charCodeAt(at)) === same) at++;
  return at;
}

function kindOf(unit: number): number {
  return kinds[unit] || (kinds[unit] = kindOfUnit(unit));
}

function kindOfUnit(unit: number): number {
  if (unit >= 0x20 && unit < 0x7f) return same;
  if (unit >= 0xd800 && unit <= 0xdfff) return folded;
  const { isMark, normal, plain } = singleWriting(unit);
  const character = String.fromCharCode(unit);
  if (isMark) return mark;
  return normal === character && plain === character ? same : folded;
}

/** The end of the code point at a place, and of the marks that it carries. */
function endOfCharacter(text: string, at: number): number {
  let end = at + ((text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1);
  for (let marks = 0; marks < mostMarks && end < text.length; marks++) {
    const next = text.codePointAt(end) ?? 0;
    // The first combining mark of Unicode.
    if (next < 0x300 || !singleWriting(next).isMark) break;
    end += next > 0xffff ? 2 : 1;
  }
  return end;
}

function writingOf(text: string, at: number, end: number): Written {
  const first = text.codePointAt(at) ?? 0;
  return end - at === (first > 0xffff ? 2 : 1) ? singleWriting(first) : written(text.slice(at, end));
}

function singleWriting(codePoint: number): Writing {
  const remembered = known.get(codePoint);
  if (remembered) return remembered;
  const character = String.fromCodePoint(codePoint);
  const made = { isMark: combiningMark.test(character), ...written(character) };
  if (known.size >= mostKnown) known.clear();
  known.set(codePoint, made);
  return made;
}

function written(character: string): Written {
  const composed = character.normalize('NFKC');
  const normal = composed.replace(invisible, '');
  const plain = plainly(normal);
  const untagged = composed.replace(tag, (each) => String.fromCodePoint((each.codePointAt(0) ?? 0) - 0xe0000));
  return { normal, plain, told: untagged === composed ? plain : plainly(untagged.replace(invisible, '')) };
}

function plainly(normal: string): string {
  const apart = accented.test(normal) ? normal.normalize('NFD') : normal;
  const plain = Array.from(
    apart,
    (each) => confusables.get(each) ?? (combiningMark.test(each) ? '' : asciiDigit(each)),
  );
  return plain.join('');
}

/**
 * Digits of a script follow one another from its zero:
 * https://www.unicode.org/versions/Unicode17.0.0/core-spec/chapter-4/#G124142
 */
function asciiDigit(character: string): string {
  if (!decimalDigit.test(character)) return character;
  const codePoint = character.codePointAt(0) ?? 0;
  let before = 0;
  while (decimalDigit.test(String.fromCodePoint(codePoint - before - 1))) before++;
  return String(before % 10);
}
