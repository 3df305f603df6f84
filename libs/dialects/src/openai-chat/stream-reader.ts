import type { TokenUsage } from '@tollgate/contracts';
import type { AnswerReader, AnswerState, UpstreamError } from '../provider-dialect';
import { JsonDepthError, JsonSyntaxError } from '../wire/json-cursor';
import { isRecord, parseJson, textIn } from '../wire/json-value';
import { RunCollector } from '../wire/run-collector';
import { SseEventTooLongError, SseSplitter } from '../wire/sse-splitter';
import type { SseEvent } from '../wire/sse-splitter';
import { ChunkReader } from './chunk-reader';
import { maxEventBytes } from '../wire/answer-limits';
import { OutputTally } from './delta-reader';
import { brokenAnswer } from '../upstream-error/broken-answer';
import { served, servedTier } from '../canonical/served-terms';
import { MendedCalls } from './mended-calls';
import { readErrorInAnswer } from './read-error';
import { readUsage } from './read-usage';
import { usageOf } from './answer-words';

const nothing = Buffer.alloc(0);
const done = Buffer.from('data: [DONE]\n\n');
const unfinishedChoices = Buffer.from(': the provider told no finish reason for some choices\n\n');

/**
 * Passes a chat completion stream through and watches its grammar.
 * - Nothing is handed on before the first event with choices, so that another provider may be tried until
 *   then. What came before it follows with it, but comments.
 * - The usage-only chunk is withheld from a caller who did not ask for it. `"usage":null` on the other chunks
 *   stays: every client reads it as absent.
 * - A caller who asked for usage gets a usage chunk even where the provider put its usage elsewhere.
 * - Fragments of calls go out as OpenAI's clients know them (see MendedCalls).
 * - [DONE] goes out only when every choice that began has finished, or the provider says it itself behind one
 *   finish; a stream that just ends after that gets its [DONE] from us.
 */
export class ChatStreamReader implements AnswerReader {
  state: AnswerState = 'waiting';
  error: UpstreamError | null = null;
  usage: TokenUsage | null = null;
  private readonly splitter = new SseSplitter(maxEventBytes);
  private readonly tally = new OutputTally();
  private readonly chunks = new ChunkReader(this.tally);
  private readonly calls = new MendedCalls();
  private readonly output = new RunCollector();
  private readonly onEvent = (event: SseEvent) => this.read(event);
  /** Events before the first choices, and how many bytes they take. */
  private preamble: Buffer[] = [];
  private preambleBytes = 0;
  private firstChunk: Buffer = nothing;
  private usageText: string | null = null;
  private usageWasShown = false;

  constructor(
    private readonly providerName: string,
    private readonly includeUsage: boolean,
  ) {}

  get answerId(): string | null {
    return textIn(parseJson(this.firstChunk.toString('utf8')), 'id');
  }

  get hasContent(): boolean {
    return this.chunks.hasContent;
  }

  get served(): TokenUsage['served'] {
    return served({ tier: servedTier(this.tier) }).served;
  }

  push(bytes: Uint8Array): Uint8Array {
    return this.run(() => this.splitter.push(bytes, this.onEvent));
  }

  end(): Uint8Array {
    return this.run(() => {
      this.splitter.end(this.onEvent);
      if (this.isOver()) return;
      if (this.state === 'waiting' && !this.chunks.isFinished)
        this.break('empty_answer', 'closed the stream without an answer');
      else if (!this.chunks.isFinished)
        this.break('unfinished_answer', 'closed the stream before the answer was finished');
      else this.complete(done);
    });
  }

  countSome(): boolean {
    return this.tally.countSome();
  }

  outputTokensSeen(): number {
    return this.tally.tokens();
  }

  get outputLength(): number {
    return this.tally.length.value;
  }

  cut(usage: TokenUsage): Uint8Array {
    if (this.isOver()) return nothing;
    this.usage = usage;
    const finishes = this.chunks.open.map((index) => this.chunk([this.finish(index)]));
    const usages = this.includeUsage ? [this.chunk([], { usage: usageOf(usage) })] : [];
    this.state = 'complete';
    return Buffer.concat([...finishes, ...usages, done]);
  }

  private run(step: () => void): Uint8Array {
    if (this.isOver()) return nothing;
    try {
      step();
    } catch (error) {
      if (!(error instanceof SseEventTooLongError)) throw error;
      this.break('malformed_answer', `sent an event of more than ${error.limitBytes} bytes`);
    }
    return this.output.take();
  }

  private isOver(): boolean {
    return this.state === 'complete' || this.state === 'failed';
  }

  private read(event: SseEvent): void {
    if (this.isOver()) return;
    if (!event.hasData || event.dataEnd === event.dataStart) return this.passEmpty(event);
    if (isDone(event)) return this.readDone(event);
    if (!this.readChunk(event)) return;
    if (event.isError || this.chunks.error) return this.readFailure(event);
    this.noteUsage(event);
    if (this.chunks.choices > 0) this.passChunk(event);
    else this.passWithoutChoices(event);
  }

  /** False when the event is malformed. */
  private readChunk(event: SseEvent): boolean {
    try {
      this.chunks.read(event.data, event.dataStart, event.dataEnd);
      return true;
    } catch (error) {
      if (!(error instanceof JsonSyntaxError || error instanceof JsonDepthError)) throw error;
      if (event.isError) this.readFailure(event);
      else this.break('malformed_answer', 'sent a malformed event');
      return false;
    }
  }

  private readFailure(event: SseEvent): void {
    const { error } = this.chunks;
    const text = error ? event.data.toString('utf8', error.start, error.end) : dataOf(event);
    this.state = 'failed';
    this.error = readErrorInAnswer(text, this.providerName);
  }

  /**
   * The last usage that tells something wins: some providers send it with every chunk, some send zeros first.
   */
  private noteUsage(event: SseEvent): void {
    const { usage } = this.chunks;
    if (!usage) return;
    const text = event.data.toString('utf8', usage.start, usage.end);
    const read = readUsage(parseJson(text), this.tier);
    if (!read) return;
    this.usage = read;
    this.usageText = text;
  }

  private get tier(): unknown {
    return parseJson(this.chunks.tier);
  }

  private passChunk(event: SseEvent): void {
    if (this.state === 'waiting') this.begin(event);
    const mended = this.chunks.tellsCalls ? this.calls.mend(parseJson(dataOf(event))) : null;
    if (!mended) return this.output.add(event.bytes, event.start, event.end);
    this.chunks.looksAtCalls = this.calls.isRenumbered;
    const bytes = Buffer.from(`data: ${JSON.stringify(mended)}\n\n`);
    this.output.add(bytes, 0, bytes.length);
  }

  private passWithoutChoices(event: SseEvent): void {
    const isUsageChunk = this.chunks.usage !== null;
    if (isUsageChunk && !this.includeUsage) return;
    if (isUsageChunk) this.usageWasShown = true;
    if (this.state === 'flowing') this.output.add(event.bytes, event.start, event.end);
    else this.keepPreamble(event);
  }

  private passEmpty(event: SseEvent): void {
    if (this.state === 'flowing') this.output.add(event.bytes, event.start, event.end);
  }

  private keepPreamble(event: SseEvent): void {
    this.preambleBytes += event.end - event.start;
    if (this.preambleBytes > maxEventBytes) this.break('malformed_answer', 'sent too much before its answer');
    else this.preamble.push(Buffer.from(event.bytes.subarray(event.start, event.end)));
  }

  private begin(event: SseEvent): void {
    this.state = 'flowing';
    for (const bytes of this.preamble) this.output.add(bytes, 0, bytes.length);
    this.preamble = [];
    this.firstChunk = Buffer.from(event.data.subarray(event.dataStart, event.dataEnd));
  }

  private readDone(event: SseEvent): void {
    const ending = Buffer.from(event.bytes.subarray(event.start, event.end));
    if (this.chunks.isFinished) this.complete(ending);
    // Its mark of the end is told behind at least one finish: an end, which the caller hears about in a
    // comment.
    else if (this.chunks.hasFinish) this.complete(Buffer.concat([unfinishedChoices, ending]));
    else this.break('unfinished_answer', 'ended the stream before the answer was finished');
  }

  private complete(ending: Buffer): void {
    if (this.includeUsage && !this.usageWasShown && this.usageText !== null) {
      const chunk = this.chunk([], { usage: parseJson(this.usageText) });
      this.output.add(chunk, 0, chunk.length);
    }
    this.output.add(ending, 0, ending.length);
    this.state = 'complete';
  }

  /** A chunk with the stream's own id and model. */
  private chunk(choices: readonly object[], more: object = {}): Buffer {
    const { id, object, created, model } = this.head();
    return Buffer.from(`data: ${JSON.stringify({ id, object, created, model, choices, ...more })}\n\n`);
  }

  private head(): Record<string, unknown> {
    const first = parseJson(this.firstChunk.toString('utf8'));
    return { object: 'chat.completion.chunk', ...(isRecord(first) && first) };
  }

  /** A choice of a text completion has a text where others have a delta. */
  private finish(index: number): object {
    const isText = this.head().object === 'text_completion';
    return { index, ...(isText ? { text: '' } : { delta: {} }), logprobs: null, finish_reason: 'length' };
  }

  private break(code: string, what: string): void {
    this.state = 'failed';
    this.error = brokenAnswer(this.providerName, code, what);
  }
}

function dataOf(event: SseEvent): string {
  return event.data.toString('utf8', event.dataStart, event.dataEnd);
}

function isDone(event: SseEvent): boolean {
  const length = event.dataEnd - event.dataStart;
  return (
    length >= 6 && length < 16 && event.data.toString('latin1', event.dataStart, event.dataEnd).trim() === '[DONE]'
  );
}
