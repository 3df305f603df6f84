import { JsonCursor } from '../wire/json-cursor';
import type { GeneratedText } from './chunk-reader';
import { foldedText, OutputLength, TextTally } from '../tokens/text-tally';

/**
 * Kinds of generated text that are counted apart, because a tokenizer must not join the end of one with the
 * start of another.
 */
const outputKind = { content: 0, reasoning: 1, refusal: 2, firstTool: 4 } as const;

/** A tool call takes two places: its name and its arguments. */
function toolNameKind(toolIndex: number): number {
  return outputKind.firstTool + 2 * Math.min(toolIndex, 1_000);
}

function toolArgumentsKind(toolIndex: number): number {
  return toolNameKind(toolIndex) + 1;
}

/** More runs of text than this in one answer share the last one, so that memory stays bounded. */
const maxRuns = 512;
const kindsPerChoice = 4_096;
const sharedRun = -1;

/** Everything an answer generated, by choice and kind, ready to be counted. */
export class OutputTally {
  /** Of what was counted, as it came over the wire. */
  readonly length = new OutputLength();
  private readonly runs = new Map<number, TextTally>();

  /** Adds the inside of a JSON string, bytes[start, end). */
  add(choice: number, kind: number, bytes: Uint8Array, start: number, end: number): void {
    if (end <= start) return;
    this.length.add(end - start, kind === outputKind.reasoning);
    this.run(choice * kindsPerChoice + kind).add(bytes, start, end);
  }

  /** Counts a part of it, and forgets that; false: nothing is left. Nothing more may come. */
  countSome(): boolean {
    let length = 0;
    for (const run of this.runs.values()) if (length <= foldedText / 2) length += run.countSome();
    return length > 0;
  }

  tokens(): number {
    let tokens = 0;
    for (const run of this.runs.values()) tokens += run.tokens();
    return tokens;
  }

  private run(key: number): TextTally {
    const known = this.runs.get(key);
    if (known) return known;
    if (this.runs.size >= maxRuns && key !== sharedRun) return this.run(sharedRun);
    const run = new TextTally();
    this.runs.set(key, run);
    return run;
  }
}

const quote = 0x22;
const openBrace = 0x7b;
const openBracket = 0x5b;
const nullStart = 0x6e;
const digitZero = 0x30;
const digitNine = 0x39;
/** Bytes of a text that is empty. */
const emptyText = 2;

/**
 * Hands the generated text of deltas to the tally. Knows the members that carry text at OpenAI (content,
 * refusal, tool_calls, function_call, audio), DeepSeek and vLLM (reasoning_content), OpenRouter and Groq
 * (reasoning) and Mistral (content as parts, with thinking inside).
 * https://api-docs.deepseek.com/guides/reasoning_model https://openrouter.ai/docs/use-cases/reasoning-tokens
 * https://docs.mistral.ai/capabilities/reasoning/
 */
export class DeltaReader {
  private readonly cursor = new JsonCursor();
  private readonly inner = new JsonCursor();
  private bytes: Uint8Array = new Uint8Array(0);
  private choice = 0;
  /** True once any delta held text, reasoning or a tool call. */
  hasContent = false;
  /**
   * Whether a fragment of a call of the last delta begins it, tells an id or lacks its number: all others are
   * as clients know them. `isOdd`: one of these may be another call's, or odd.
   */
  tellsCall = false;
  isOdd = false;
  /** Whether the last delta had fragments of calls. */
  hasCalls = false;
  /** How many texts were handed to the tally, and the last of them. */
  texts = 0;
  readonly last: GeneratedText = { choice: 0, kind: 0, start: 0, end: 0 };

  constructor(private readonly tally: OutputTally) {}

  /** Reads the well-formed object bytes[start, end). */
  read(bytes: Uint8Array, start: number, end: number, choice: number): void {
    this.bytes = bytes;
    this.choice = choice;
    const { cursor } = this;
    cursor.reset(bytes, start, end);
    let hasReasoning = false;
    this.tellsCall = this.isOdd = this.hasCalls = false;
    for (let more = cursor.enterObject(); more; more = cursor.nextMember()) {
      if (cursor.keyIs('content')) this.readContent(outputKind.content);
      else if (cursor.keyIs('reasoning_content') || cursor.keyIs('reasoning')) {
        // Some servers send the same text under both names while clients move from one to the other.
        if (hasReasoning) cursor.skip();
        else hasReasoning = this.readContent(outputKind.reasoning);
      } else if (cursor.keyIs('refusal')) this.readText(outputKind.refusal);
      else if (cursor.keyIs('tool_calls') && cursor.peek() === openBracket) this.readToolCalls();
      else if (cursor.keyIs('function_call') && cursor.peek() === openBrace) this.readFunction(0);
      else if (cursor.keyIs('audio') && cursor.peek() === openBrace) this.readAudio();
      else cursor.skip();
    }
  }

  /** The text of a text completion, which stands in its choice: the JSON string bytes[start, end). */
  readPlain(bytes: Uint8Array, start: number, end: number, choice: number): void {
    if (end - start <= 2) return;
    this.hasContent = true;
    this.add(choice, outputKind.content, bytes, start + 1, end - 1);
  }

  /** Hands a text to the tally: the inside of a JSON string, bytes[start, end). */
  add(choice: number, kind: number, bytes: Uint8Array, start: number, end: number): void {
    const { last } = this;
    this.texts++;
    last.choice = choice;
    last.kind = kind;
    last.start = start;
    last.end = end;
    this.tally.add(choice, kind, bytes, start, end);
  }

  /** True when there was text. */
  private readContent(kind: number): boolean {
    return this.cursor.peek() === openBracket ? this.readParts(kind) : this.readText(kind);
  }

  private readText(kind: number): boolean {
    const { cursor } = this;
    const isText = cursor.peek() === quote;
    cursor.skip();
    if (!isText || cursor.valueEnd - cursor.valueStart <= 2) return false;
    this.hasContent = true;
    this.add(this.choice, kind, this.bytes, cursor.valueStart + 1, cursor.valueEnd - 1);
    return true;
  }

  private readParts(kind: number): boolean {
    const { cursor } = this;
    let hasText = false;
    for (let more = cursor.enterArray(); more; more = cursor.nextItem()) {
      if (cursor.peek() === openBrace) hasText = this.readPart(kind) || hasText;
      else cursor.skip();
    }
    return hasText;
  }

  private readPart(kind: number): boolean {
    const { cursor } = this;
    let hasText = false;
    for (let more = cursor.enterObject(); more; more = cursor.nextMember()) {
      if (cursor.keyIs('text')) hasText = this.readText(kind) || hasText;
      else if (cursor.keyIs('thinking')) hasText = this.readContent(outputKind.reasoning) || hasText;
      else cursor.skip();
    }
    return hasText;
  }

  private readToolCalls(): void {
    const { cursor } = this;
    for (let more = cursor.enterArray(); more; more = cursor.nextItem()) {
      cursor.skip();
      this.hasContent = this.hasCalls = true;
      this.readToolCall(cursor.valueStart, cursor.valueEnd);
    }
  }

  /** The index may stand behind the function, so the function is only measured in the first walk. */
  private readToolCall(start: number, end: number): void {
    const inner = this.inner.reset(this.bytes, start, end);
    if (inner.peek() !== openBrace) return;
    let index = 0;
    let functionStart = -1;
    let functionEnd = -1;
    let isNumbered = false;
    for (let more = inner.enterObject(); more; more = inner.nextMember()) {
      const isIndex = inner.keyIs('index');
      const isId = inner.keyIs('id');
      const first = inner.peek();
      const isFunction = (inner.keyIs('function') || inner.keyIs('custom')) && inner.peek() === openBrace;
      inner.skip();
      if (isIndex) {
        index = smallInteger(this.bytes, inner.valueStart, inner.valueEnd);
        isNumbered = first >= digitZero && first <= digitNine;
      }
      if (isId && first !== nullStart && inner.valueEnd - inner.valueStart > emptyText) this.tellsCall = true;
      if (isId && first !== quote && first !== nullStart) this.isOdd = true;
      if (isFunction) {
        functionStart = inner.valueStart;
        functionEnd = inner.valueEnd;
      }
    }
    if (!isNumbered) this.isOdd = true;
    if (functionStart >= 0) this.countFunction(functionStart, functionEnd, index);
    if (this.isOdd) this.tellsCall = true;
  }

  private readFunction(index: number): void {
    this.cursor.skip();
    this.hasContent = true;
    this.countFunction(this.cursor.valueStart, this.cursor.valueEnd, index);
  }

  private countFunction(start: number, end: number, index: number): void {
    const inner = this.inner.reset(this.bytes, start, end);
    for (let more = inner.enterObject(); more; more = inner.nextMember()) {
      const isArgument = inner.keyIs('arguments') || inner.keyIs('input');
      const kind = inner.keyIs('name') ? toolNameKind(index) : isArgument ? toolArgumentsKind(index) : -1;
      const isText = inner.peek() === quote;
      inner.skip();
      // What has a name begins.
      if (isText && kind === toolNameKind(index) && inner.valueEnd - inner.valueStart > emptyText)
        this.tellsCall = this.isOdd = true;
      if (kind >= 0 && isText) this.add(this.choice, kind, this.bytes, inner.valueStart + 1, inner.valueEnd - 1);
    }
  }

  private readAudio(): void {
    const { cursor } = this;
    this.hasContent = true;
    for (let more = cursor.enterObject(); more; more = cursor.nextMember()) {
      if (cursor.keyIs('transcript')) this.readText(outputKind.content);
      else cursor.skip();
    }
  }
}

/** OpenAI allows 128 choices and 128 tools; a larger index is not believed. */
const maxIndex = 1_023;

/**
 * Reads an index of a choice or tool call from bytes[start, end). Anything but an integer from 0 to 1023 is
 * 0.
 */
export function smallInteger(bytes: Uint8Array, start: number, end: number): number {
  let index = 0;
  for (let at = start; at < end; at++) {
    const digit = (bytes[at] ?? 0) - 0x30;
    if (digit < 0 || digit > 9) return 0;
    index = index * 10 + digit;
  }
  return index <= maxIndex ? index : 0;
}
