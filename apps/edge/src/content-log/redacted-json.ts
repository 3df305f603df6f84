import { unclearEnd, type Redactor } from '@tollgate/guardrails';

/**
 * A JSON value as it may be kept: its text, whether anything was cut off, and in how many places something
 * was taken out.
 */
export interface RedactedJson {
  readonly text: string;
  readonly isTruncated: boolean;
  readonly redactions: number;
}

/**
 * What a text begins with when it is a file, an image, a vector or a seal, in which nobody reads and no
 * detector finds. Shorter runs may be words.
 */
const dataRun = /^(?:data:[^,]{0,200},)?[\w+/=-]{512}/;
/** Names and words of the format come again and again: what was found in them is known. */
const longestWord = 32;
/** Vectors, and inputs that were counted into tokens. */
const shortestVector = 64;
/** No request is nested deeper; an answer may be. */
const deepest = 100;

/**
 * Writes a JSON value with every text, number and member name in it redacted, in about `maxBytes`: what goes
 * beyond is cut off, and is not looked at either.
 */
export function redactedJson(value: unknown, redactor: Redactor, maxBytes: number): RedactedJson {
  const copy = new RedactedCopy(redactor, maxBytes);
  const text = JSON.stringify(copy.of(value, 0));
  return { text, isTruncated: copy.isTruncated, redactions: copy.redactions };
}

class RedactedCopy {
  isTruncated = false;
  redactions = 0;
  private readonly knownWords = new Map<string, ReturnType<Redactor['redact']>>();

  /** `left`: bytes that may still be written. */
  constructor(
    private readonly redactor: Redactor,
    private left: number,
  ) {}

  of(value: unknown, depth: number): unknown {
    if (typeof value === 'string') return this.text(value, depth);
    if (typeof value === 'number') return this.number(value);
    if (typeof value !== 'object' || value === null) return this.spend(value ?? null);
    if (depth > deepest) return this.cutOff(null);
    return Array.isArray(value) ? this.list(value, depth) : this.record(value, depth);
  }

  private text(text: string, depth: number): string {
    if (dataRun.test(text)) return this.spend(`[left out: ${text.length} characters]`);
    return this.jsonInText(text, depth) ?? this.words(text);
  }

  /**
   * Arguments of calls are JSON in a text: what is escaped in it is found when it is read as such. Null:
   * nothing is, so that it stays as it was written.
   */
  private jsonInText(text: string, depth: number): string | null {
    if (!/^\s*[{[]/.test(text) || text.length > this.left) return null;
    const value = parsed(text);
    if (value === null) return null;
    const inside = new RedactedCopy(this.redactor, this.left);
    const copy = inside.of(value, depth + 1);
    if (inside.redactions === 0 || inside.isTruncated) return null;
    this.redactions += inside.redactions;
    return this.spend(JSON.stringify(copy));
  }

  private words(whole: string): string {
    const { text, found } = whole.length > longestWord ? this.redacted(whole) : this.known(whole);
    this.redactions += found;
    return this.spend(this.fitting(text));
  }

  private redacted(text: string): ReturnType<Redactor['redact']> {
    return this.redactor.redact(text, Math.max(0, this.left));
  }

  private known(word: string): ReturnType<Redactor['redact']> {
    const known = this.knownWords.get(word) ?? this.redacted(word);
    this.knownWords.set(word, known);
    return known;
  }

  /** The beginning of a text that has room. Its characters may take several bytes each. */
  private fitting(text: string): string {
    let fits = text;
    for (let size = sizeOf(fits); size > this.left && fits !== ''; size = sizeOf(fits))
      fits = fits.slice(0, Math.floor((fits.length * Math.max(0, this.left)) / size));
    return fits === text ? text : this.cutOff(fits);
  }

  /** That of an account may be one. */
  private number(value: number): unknown {
    const { text, found } = this.known(String(value));
    this.redactions += found;
    return this.spend(found === 0 ? value : text);
  }

  private list(items: readonly unknown[], depth: number): unknown {
    if (items.length >= shortestVector && items.every((item) => typeof item === 'number'))
      return this.spend(`[left out: ${items.length} numbers]`);
    this.left -= 3;
    const copy: unknown[] = [];
    for (const item of this.acrossParts(items)) {
      if (this.left <= 0) return this.cutOff(copy);
      copy.push(this.of(item, depth + 1));
    }
    return copy;
  }

  /** The items of a list without what is spread over the texts of parts that follow one another. */
  private acrossParts(items: readonly unknown[]): readonly unknown[] {
    const copy = [...items];
    for (let at = 0; at < items.length; at++) {
      const texts = this.textsFrom(items, at);
      if (texts.length < 2) continue;
      const { texts: left, found } = this.redactor.redactAll(texts);
      this.redactions += found;
      for (const [index, text] of left.entries())
        if (text !== texts[index]) copy[at + index] = { ...(items[at + index] as object), text };
      at += texts.length - 1;
    }
    return copy;
  }

  /**
   * The texts of the parts that follow one another from a place on, as many as may be kept or be cut through.
   */
  private textsFrom(items: readonly unknown[], from: number): string[] {
    const texts: string[] = [];
    let length = 0;
    for (let at = from; at < items.length && length <= this.left + unclearEnd; at++) {
      const item = items[at];
      if (typeof item !== 'object' || item === null || !('text' in item) || typeof item.text !== 'string') break;
      texts.push(item.text);
      length += item.text.length;
    }
    return texts;
  }

  private record(record: object, depth: number): unknown {
    this.left -= 3;
    const copy: [string, unknown][] = [];
    for (const [name, value] of Object.entries(record) as [string, unknown][]) {
      if (this.left <= 0) {
        this.isTruncated = true;
        break;
      }
      copy.push([this.words(name), this.of(value, depth + 1)]);
    }
    return Object.fromEntries(copy);
  }

  private spend<Value>(value: Value): Value {
    this.left -= sizeOf(value) + 1;
    return value;
  }

  private cutOff<Value>(value: Value): Value {
    this.isTruncated = true;
    return value;
  }
}

/** Bytes as JSON. */
function sizeOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

/** Null: it is neither an object nor a list. */
function parsed(text: string): object | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' ? value : null;
  } catch {
    return null;
  }
}
