import { asBuffer, isPlainText } from '../wire/json-cursor';

/**
 * A text that an event generated: the inside of a JSON string, bytes[start, end), with its choice and kind.
 */
export interface GeneratedText {
  choice: number;
  kind: number;
  start: number;
  end: number;
}

/**
 * After so many events in a row that differ in more than their text, a stream is read without a template:
 * some providers pad each one at random.
 */
const mostMisses = 8;

/**
 * Most events of a stream differ in their text alone. Where all other bytes are those of an event that was
 * read before, all but its text is known, and its grammar too: two comparisons of memory in place of a walk
 * over every byte.
 */
export class ChunkTemplate {
  /** What stands before and behind the text; null: no event was like that yet. */
  private before: Buffer | null = null;
  private after = Buffer.alloc(0);
  private misses = 0;
  /** The text of the event that matched last. */
  readonly text: GeneratedText = { choice: 0, kind: 0, start: 0, end: 0 };
  /** How many choices such events have, and the `service_tier` that they tell (as JSON; empty: none). */
  choices = 0;
  tier = '';

  /** Whether bytes[start, end) is the event that was kept, with another text. */
  matches(bytes: Uint8Array, start: number, end: number): boolean {
    const { before, after, text } = this;
    if (before === null) return false;
    text.start = start + before.length;
    text.end = end - after.length;
    const event = asBuffer(bytes);
    if (
      text.start >= text.end ||
      event.compare(before, 0, before.length, start, text.start) !== 0 ||
      event.compare(after, 0, after.length, text.end, end) !== 0
    ) {
      this.misses++;
      return false;
    }
    this.misses = 0;
    // Anything else has to be read, and is well formed or not.
    return isPlainText(event, text.start, text.end);
  }

  /**
   * Keeps bytes[start, end), an event that was read whole and tells nothing of usage or an error, and one
   * text: this.
   */
  keep(
    bytes: Uint8Array,
    start: number,
    end: number,
    text: GeneratedText,
    { choices, tier }: Pick<ChunkTemplate, 'choices' | 'tier'>,
  ): void {
    if (this.misses >= mostMisses) {
      this.before = null;
      return;
    }
    const event = asBuffer(bytes);
    this.before = Buffer.from(event.subarray(start, text.start));
    this.after = Buffer.from(event.subarray(text.end, end));
    this.text.choice = text.choice;
    this.text.kind = text.kind;
    this.choices = choices;
    this.tier = tier;
  }
}
