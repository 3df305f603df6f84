import type { TokenUsage } from '@tollgate/contracts';
import type { AnswerReader, AnswerState, UpstreamError } from '../provider-dialect';
import { maxAnswerBytes, maxEventBytes } from '../wire/answer-limits';
import { isRecord } from '../wire/json-value';
import { KeptDocument } from '../wire/kept-document';
import { RunCollector } from '../wire/run-collector';
import { SseEventTooLongError, SseSplitter } from '../wire/sse-splitter';
import type { SseEvent } from '../wire/sse-splitter';
import type { AnswerEvents } from './answer-events';
import { dataOf, nameOf } from './answer-pieces';
import { EventTally } from './event-tally';
import type { GenerationEvent } from './generation-event';
import { beginsAnswer } from './translated-answer-reader';

const nothing = Buffer.alloc(0);

type Rewrite = (bytes: Buffer) => Buffer;
const asItIs: Rewrite = (bytes) => bytes;

/** Knows of a stream that passes by what it takes to close it early. */
export interface StreamEnding {
  /** The data of one event, parsed. */
  add(event: Record<string, unknown>): void;
  /** The SSE text that ends the stream here, as one that reached its limit of output. */
  close(usage: TokenUsage): string;
}

/** What both passing readers know of an answer from its canonical events, while its bytes pass by. */
class AnswerJudge {
  state: AnswerState = 'waiting';
  error: UpstreamError | null = null;
  usage: TokenUsage | null = null;
  answerId: string | null = null;
  readonly tally = new EventTally();

  get isOver(): boolean {
    return this.state === 'complete' || this.state === 'failed';
  }

  take(events: readonly GenerationEvent[]): void {
    for (const event of events) {
      this.tally.add(event);
      if (event.type === 'start') this.answerId = event.id;
      else if (event.type === 'usage') this.usage = event.usage;
      else if (event.type === 'end') this.state = 'complete';
      else if (event.type === 'error') {
        this.state = 'failed';
        this.error = event.error;
      } else if (this.state === 'waiting' && beginsAnswer(event)) this.state = 'flowing';
    }
  }
}

/**
 * Passes a stream through in whole events, byte for byte, while the provider's parser watches it. Nothing is
 * handed on before the answer began, so that another provider may be tried until then; the event that breaks
 * the answer off is withheld, because edge ends a broken stream.
 */
export class PassingStreamReader implements AnswerReader {
  private readonly judge = new AnswerJudge();
  private readonly splitter = new SseSplitter(maxEventBytes);
  private readonly output = new RunCollector();
  private readonly onEvent = (event: SseEvent) => this.read(event);
  /** Events before the answer began, and how many bytes they take. */
  private preamble: Buffer[] = [];
  private preambleBytes = 0;

  /**
   * `rewrite`: what becomes of each whole event. `ending`: how the stream is closed where it is cut; null: it
   * never is.
   */
  constructor(
    private readonly events: AnswerEvents,
    private readonly rewrite: Rewrite = asItIs,
    private readonly ending: StreamEnding | null = null,
  ) {}

  get state(): AnswerState {
    return this.judge.state;
  }

  get error(): UpstreamError | null {
    return this.judge.error;
  }

  get usage(): TokenUsage | null {
    return this.judge.usage;
  }

  get served(): TokenUsage['served'] {
    return this.events.served;
  }

  get answerId(): string | null {
    return this.judge.answerId;
  }

  get hasContent(): boolean {
    return this.judge.tally.hasContent;
  }

  push(bytes: Uint8Array): Uint8Array {
    return this.run(() => this.splitter.push(bytes, this.onEvent));
  }

  end(): Uint8Array {
    return this.run(() => {
      this.splitter.end(this.onEvent);
      this.judge.take(this.events.close());
    });
  }

  countSome(): boolean {
    return this.judge.tally.countSome();
  }

  outputTokensSeen(): number {
    return this.judge.tally.tokens();
  }

  get outputLength(): number {
    return this.judge.tally.length.value;
  }

  cut(usage: TokenUsage): Uint8Array {
    if (!this.ending || this.judge.isOver) return nothing;
    this.judge.take(this.events.cut(usage));
    return this.rewrite(Buffer.from(this.ending.close(usage)));
  }

  private run(step: () => void): Uint8Array {
    if (this.judge.isOver) return nothing;
    try {
      step();
    } catch (error) {
      if (!(error instanceof SseEventTooLongError)) throw error;
      this.break(`sent an event of more than ${error.limitBytes} bytes`);
    }
    return this.output.take();
  }

  private read(event: SseEvent): void {
    const { judge } = this;
    if (judge.isOver) return;
    if (event.hasData) this.judgeEvent(nameOf(event), dataOf(event));
    if (judge.state === 'failed') return;
    if (judge.state === 'waiting' && this.events.isAtWork) judge.state = 'flowing';
    if (judge.state === 'waiting') return this.keepPreamble(event);
    for (const bytes of this.preamble) this.output.add(bytes, 0, bytes.length);
    this.preamble = [];
    this.passOn(event);
  }

  private judgeEvent(name: string, data: string): void {
    this.judge.take(this.events.event(name, data));
    const { value } = this.events;
    if (this.ending && isRecord(value)) this.ending.add(value);
  }

  private passOn({ bytes, start, end }: SseEvent): void {
    if (this.rewrite === asItIs) return this.output.add(bytes, start, end);
    const before = bytes.subarray(start, end);
    const after = this.rewrite(before);
    if (after === before) this.output.add(bytes, start, end);
    else this.output.add(after, 0, after.length);
  }

  private keepPreamble(event: SseEvent): void {
    this.preambleBytes += event.end - event.start;
    if (this.preambleBytes > maxEventBytes) this.break('sent too much before its answer');
    else this.preamble.push(this.rewrite(Buffer.from(event.bytes.subarray(event.start, event.end))));
  }

  private break(what: string): void {
    this.judge.take(this.events.broken('malformed_answer', what));
  }
}

/**
 * Passes a JSON document through as it came, once it is whole and an answer. A large one is judged without
 * its long texts, where it tells its usage and nothing is wrong with it: nobody needs them then.
 */
export class PassingDocumentReader implements AnswerReader {
  private judge = new AnswerJudge();
  private readonly document = new KeptDocument(true);
  /** What judged it had no long texts. */
  private isShort = false;

  /** `newEvents`: what reads an answer, from its beginning. */
  constructor(
    private readonly newEvents: () => AnswerEvents,
    private readonly rewrite: Rewrite = asItIs,
  ) {}

  /** A document says nothing before it is whole. */
  get state(): AnswerState {
    return this.judge.state;
  }

  get error(): UpstreamError | null {
    return this.judge.error;
  }

  get usage(): TokenUsage | null {
    return this.judge.usage;
  }

  get answerId(): string | null {
    return this.judge.answerId;
  }

  get hasContent(): boolean {
    return this.isShort || this.judge.tally.hasContent;
  }

  push(bytes: Uint8Array): Uint8Array {
    const { document, judge } = this;
    if (judge.isOver) return nothing;
    if (document.length + bytes.length <= maxAnswerBytes) document.keep(bytes);
    else {
      document.clear();
      const what = `sent an answer of more than ${maxAnswerBytes} bytes`;
      judge.take(this.newEvents().broken('answer_too_large', what));
    }
    return nothing;
  }

  end(): Uint8Array {
    const pieces = this.endInPieces();
    return pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces);
  }

  endInPieces(): readonly Uint8Array[] {
    const { document, rewrite } = this;
    if (this.judge.isOver) return [];
    const short = document.shortened();
    if (short) this.judge = this.judged(short.bytes);
    this.isShort = short?.hasGap === true && this.judge.state === 'complete' && this.judge.usage !== null;
    // Put together at most once: it may be 60 MiB.
    let whole: Buffer | null = null;
    if (!short || (short.hasGap && !this.isShort)) {
      whole = document.whole();
      this.judge = this.judged(whole);
    }
    if (this.judge.state !== 'complete') return [];
    return rewrite === asItIs ? document.pieces() : [rewrite(whole ?? document.whole())];
  }

  outputTokensSeen(): number {
    const judge = this.isShort ? this.judged(this.document.whole()) : this.judge;
    return judge.tally.tokens();
  }

  private judged(json: Buffer): AnswerJudge {
    const judge = new AnswerJudge();
    judge.take(this.newEvents().document(json.toString('utf8')));
    return judge;
  }
}
