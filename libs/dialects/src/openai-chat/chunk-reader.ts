import { asBuffer, JsonCursor, isPlainText } from '../wire/json-cursor';
import { DeltaReader, smallInteger, type OutputTally } from './delta-reader';

/** A range of bytes in the event that was read last; null when the event has no such member. */
interface ByteRange {
  start: number;
  end: number;
}

const quote = 0x22;
const openBrace = 0x7b;
const openBracket = 0x5b;
const nullStart = 0x6e;

/**
 * Reads the chunks of one stream by walking their bytes: what was generated goes to the tally, which choices
 * have begun and finished is kept, and the few members that need a closer look are left as ranges. Nothing is
 * parsed into values. https://platform.openai.com/docs/api-reference/chat-streaming
 */
export class ChunkReader {
  private readonly cursor = new JsonCursor();
  private readonly delta: DeltaReader;
  private readonly template = new ChunkTemplate();
  private readonly begun = new Set<number>();
  private readonly finished = new Set<number>();
  /** The tier that the event told that is read now. */
  private toldTier = '';
  /** The event that is read now has fragments of calls that the next one like it may not be taken for. */
  private hasOddCalls = false;

  /** How many choices the last event had. */
  choices = 0;
  /**
   * The last event's usage, from the top level or, as Groq sends it, inside `x_groq`.
   * https://console.groq.com/docs/api-reference#chat-create
   */
  usage: ByteRange | null = null;
  /** The `service_tier` of the last event that told one, as JSON; empty: none did. */
  tier = '';
  /**
   * Whether fragments of calls in the last event must be looked at: they begin one, tell an id or lack their
   * number.
   */
  tellsCalls = false;
  /** Set: all fragments of calls must be. */
  looksAtCalls = false;
  /** The last event's error, wherever it stood. */
  error: ByteRange | null = null;

  constructor(tally: OutputTally) {
    this.delta = new DeltaReader(tally);
  }

  /** True once any event held text, reasoning or a tool call. */
  get hasContent(): boolean {
    return this.delta.hasContent;
  }

  /** True when at least one choice finished and none is left open. */
  get isFinished(): boolean {
    return this.finished.size > 0 && this.finished.size === this.begun.size;
  }

  /** The choices that began and have not finished. */
  get open(): number[] {
    return [...this.begun].filter((choice) => !this.finished.has(choice));
  }

  /** True when at least one choice finished. */
  get hasFinish(): boolean {
    return this.finished.size > 0;
  }

  /**
   * Reads one event's data, bytes[start, end).
   * @throws JsonSyntaxError when it is not one well-formed JSON object.
   */
  read(bytes: Uint8Array, start: number, end: number): void {
    this.choices = 0;
    this.usage = null;
    this.error = null;
    this.toldTier = '';
    this.tellsCalls = this.hasOddCalls = false;
    if (!this.looksAtCalls && this.template.matches(bytes, start, end)) this.readAsBefore(bytes);
    else this.readAnew(bytes, start, end);
    if (this.toldTier !== '') this.tier = this.toldTier;
  }

  /** An event that is known but for its text. */
  private readAsBefore(bytes: Uint8Array): void {
    const { text, choices, tier } = this.template;
    this.choices = choices;
    this.toldTier = tier;
    this.delta.add(text.choice, text.kind, bytes, text.start, text.end);
  }

  private readAnew(bytes: Uint8Array, start: number, end: number): void {
    const { texts } = this.delta;
    this.walk(bytes, start, end);
    const isTextAlone = this.delta.texts === texts + 1 && !this.usage && !this.error && !this.hasOddCalls;
    if (isTextAlone)
      this.template.keep(bytes, start, end, this.delta.last, { choices: this.choices, tier: this.toldTier });
  }

  private walk(bytes: Uint8Array, start: number, end: number): void {
    const cursor = this.cursor.reset(bytes, start, end);
    for (let more = cursor.enterObject(); more; more = cursor.nextMember()) {
      if (cursor.keyIs('choices') && cursor.peek() === openBracket) this.readChoices(bytes);
      else if (cursor.keyIs('usage')) this.usage = this.rangeUnlessNull() ?? this.usage;
      else if (cursor.keyIs('service_tier')) this.readTier(bytes);
      else if (cursor.keyIs('error')) this.error = this.rangeUnlessNull() ?? this.error;
      else if (cursor.keyIs('x_groq') && cursor.peek() === openBrace) this.readGroqExtension();
      else if (cursor.keyIs('object')) this.readObjectType(bytes, start, end);
      else cursor.skip();
    }
    cursor.finish();
  }

  private readChoices(bytes: Uint8Array): void {
    for (let more = this.cursor.enterArray(); more; more = this.cursor.nextItem()) {
      this.choices++;
      this.readChoice(bytes);
    }
  }

  /** The index may stand behind the delta, so the delta is only measured here and read afterwards. */
  private readChoice(bytes: Uint8Array): void {
    const { cursor } = this;
    let index = 0;
    let deltaStart = -1;
    let deltaEnd = -1;
    let textStart = -1;
    let textEnd = -1;
    let isFinish = false;
    for (let more = cursor.enterObject(); more; more = cursor.nextMember()) {
      const isIndex = cursor.keyIs('index');
      const isDelta = !isIndex && cursor.keyIs('delta') && cursor.peek() === openBrace;
      const isText = cursor.keyIs('text') && cursor.peek() === quote;
      if (cursor.keyIs('finish_reason')) isFinish = cursor.peek() === quote;
      const isError = cursor.keyIs('error') && cursor.peek() !== nullStart;
      cursor.skip();
      if (isError) this.error = { start: cursor.valueStart, end: cursor.valueEnd };
      if (isIndex) index = smallInteger(bytes, cursor.valueStart, cursor.valueEnd);
      if (isText) {
        textStart = cursor.valueStart;
        textEnd = cursor.valueEnd;
      }
      if (isDelta) {
        deltaStart = cursor.valueStart;
        deltaEnd = cursor.valueEnd;
      }
    }
    this.begun.add(index);
    if (isFinish) this.finished.add(index);
    if (deltaStart >= 0) this.readDelta(bytes, deltaStart, deltaEnd, index);
    if (textStart >= 0) this.delta.readPlain(bytes, textStart, textEnd, index);
  }

  private readDelta(bytes: Uint8Array, start: number, end: number, index: number): void {
    const { delta } = this;
    delta.read(bytes, start, end, index);
    if (delta.tellsCall || (this.looksAtCalls && delta.hasCalls)) this.tellsCalls = true;
    if (delta.isOdd) this.hasOddCalls = true;
  }

  private readTier(bytes: Uint8Array): void {
    const range = this.rangeUnlessNull();
    this.toldTier = range ? asBuffer(bytes).toString('utf8', range.start, range.end) : '';
  }

  private readGroqExtension(): void {
    const { cursor } = this;
    for (let more = cursor.enterObject(); more; more = cursor.nextMember()) {
      if (cursor.keyIs('usage')) this.usage = this.rangeUnlessNull() ?? this.usage;
      else if (cursor.keyIs('error')) this.error = this.rangeUnlessNull() ?? this.error;
      else cursor.skip();
    }
  }

  /** vLLM and Mistral send an error as an object of its own: {"object":"error","message":…}. */
  private readObjectType(bytes: Uint8Array, start: number, end: number): void {
    this.cursor.skip();
    const { valueStart, valueEnd } = this.cursor;
    const word = '"error"';
    if (valueEnd - valueStart !== word.length) return;
    for (let i = 0; i < word.length; i++) if (bytes[valueStart + i] !== word.charCodeAt(i)) return;
    this.error = { start, end };
  }

  private rangeUnlessNull(): ByteRange | null {
    const isNull = this.cursor.peek() === nullStart;
    this.cursor.skip();
    return isNull ? null : { start: this.cursor.valueStart, end: this.cursor.valueEnd };
  }
}

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
class ChunkTemplate {
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
