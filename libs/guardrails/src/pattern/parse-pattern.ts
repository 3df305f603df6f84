import { anyOf, anyUnit, ignoringCase, namedSets, not, oneUnit, unitRange } from './character-set';
import type { CharacterSet } from './character-set';

/** A pattern as a tree. `max` of a repetition null: no bound. */
export type PatternNode =
  | { type: 'unit'; set: CharacterSet }
  | { type: 'word-edge'; negated: boolean }
  | { type: 'sequence'; items: PatternNode[] }
  | { type: 'choice'; options: PatternNode[] }
  | { type: 'repeat'; item: PatternNode; min: number; max: number | null };

/** Why a pattern is refused, in words that complete "the pattern ...". */
export class PatternError extends Error {}

const longestPattern = 1_000;
const mostRepeats = 200;
const controls: Readonly<Partial<Record<string, number>>> = { n: 10, r: 13, t: 9, f: 12, v: 11, 0: 0 };

/** Reads a pattern. @throws PatternError for what is malformed, or takes more than a finite automaton. */
export function parsePattern(source: string, ignoreCase: boolean): PatternNode {
  if (source.length > longestPattern) throw new PatternError(`is longer than ${longestPattern} characters`);
  return new PatternParser(source, ignoreCase).parse();
}

class PatternParser {
  private at = 0;

  constructor(
    private readonly source: string,
    private readonly ignoreCase: boolean,
  ) {}

  parse(): PatternNode {
    const node = this.choice();
    if (this.at < this.source.length) throw this.problem('has a ) too many');
    return node;
  }

  private choice(): PatternNode {
    const options = [this.sequence()];
    while (this.take('|')) options.push(this.sequence());
    return options.length === 1 && options[0] ? options[0] : { type: 'choice', options };
  }

  private sequence(): PatternNode {
    const items: PatternNode[] = [];
    while (this.at < this.source.length && !'|)'.includes(this.next)) items.push(this.repeated());
    return { type: 'sequence', items };
  }

  private repeated(): PatternNode {
    const item = this.single();
    const times = this.times();
    if (!times) return item;
    if (item.type === 'word-edge') throw this.problem('repeats \\b');
    if ('?+'.includes(this.next) && this.next !== '')
      throw this.problem('holds a lazy or possessive repetition, which means nothing here: the longest match counts');
    if (this.times()) throw this.problem('repeats a repetition without a group');
    return { type: 'repeat', item, ...times };
  }

  private times(): { min: number; max: number | null } | null {
    if (this.take('*')) return { min: 0, max: null };
    if (this.take('+')) return { min: 1, max: null };
    if (this.take('?')) return { min: 0, max: 1 };
    const counted = /^\{(\d{1,4})(?:(,)(\d{1,4})?)?\}/.exec(this.source.slice(this.at));
    if (!counted) return null;
    this.at += counted[0].length;
    const min = Number(counted[1]);
    const max = counted[2] === undefined ? min : counted[3] === undefined ? null : Number(counted[3]);
    if (Math.max(min, max ?? 0) > mostRepeats) throw this.problem(`repeats something more than ${mostRepeats} times`);
    if (max !== null && max < min) throw this.problem('holds a repetition whose bounds are the wrong way round');
    return { min, max };
  }

  private single(): PatternNode {
    const character = this.take();
    switch (character) {
      case '(':
        return this.group();
      case '[':
        return this.unit(this.set());
      case '.':
        return this.unit(anyUnit);
      case '\\':
        return this.escape();
      case '^':
      case '$':
        throw this.problem(`holds ${character}: a text has no beginning and no end here, it comes in pieces`);
      case '*':
      case '+':
      case '?':
      case '{':
        throw this.problem(`repeats nothing with ${character}`);
      default:
        return this.unit(oneUnit(character.charCodeAt(0)));
    }
  }

  private group(): PatternNode {
    if (this.take('?') && !this.take(':'))
      throw this.problem('looks ahead or back, or names a group: only (...) and (?:...) are known');
    const node = this.choice();
    if (!this.take(')')) throw this.problem('has a ( without its )');
    return node;
  }

  private escape(): PatternNode {
    if (this.take('b')) return { type: 'word-edge', negated: false };
    if (this.take('B')) return { type: 'word-edge', negated: true };
    return this.unit(this.escapedSet());
  }

  /** What follows a backslash, in a set and outside of one. */
  private escapedSet(): CharacterSet {
    const letter = this.take();
    const named = namedSets[letter];
    if (named) return named;
    const hex = letter === 'x' ? 2 : letter === 'u' ? 4 : 0;
    if (hex > 0) {
      const digits = this.source.slice(this.at, this.at + hex);
      if (!new RegExp(`^[0-9a-fA-F]{${hex}}$`).test(digits))
        throw this.problem(`needs ${hex} hexadecimal digits after \\${letter}`);
      this.at += hex;
      return oneUnit(Number.parseInt(digits, 16));
    }
    const control = controls[letter];
    if (control !== undefined) return oneUnit(control);
    if (/[1-9k]/.test(letter)) throw this.problem('refers back to a group, which takes more than a finite automaton');
    if (letter === '' || /[A-Za-z]/.test(letter)) throw this.problem(`holds \\${letter}, which is not known`);
    return oneUnit(letter.charCodeAt(0));
  }

  private set(): CharacterSet {
    const negated = this.take('^');
    const sets: CharacterSet[] = [];
    while (!this.take(']')) sets.push(this.member());
    if (sets.length === 0) throw this.problem('holds an empty set');
    const any = this.ignoreCase ? ignoringCase(anyOf(sets)) : anyOf(sets);
    return negated ? not(any) : any;
  }

  private member(): CharacterSet {
    const first = this.take();
    if (first === '') throw this.problem('has a [ without its ]');
    if (first === '\\') return this.take('b') ? oneUnit(8) : this.escapedSet();
    const isRange = this.next === '-' && this.source[this.at + 1] !== ']';
    if (!isRange) return oneUnit(first.charCodeAt(0));
    this.at += 1;
    const last = this.take();
    if (last === '' || last === '\\' || last < first) throw this.problem('holds a range that is none');
    return unitRange(first.charCodeAt(0), last.charCodeAt(0));
  }

  private unit(set: CharacterSet): PatternNode {
    return { type: 'unit', set: this.ignoreCase ? ignoringCase(set) : set };
  }

  private get next(): string {
    return this.source[this.at] ?? '';
  }

  /** Takes the next character, or only `wanted`. */
  private take(): string;
  private take(wanted: string): boolean;
  private take(wanted?: string): string | boolean {
    const character = this.next;
    if (wanted !== undefined && character !== wanted) return false;
    if (character !== '') this.at += 1;
    return wanted === undefined ? character : true;
  }

  private problem(what: string): PatternError {
    return new PatternError(`${what} (at character ${this.at})`);
  }
}
