import type { TokenUsage } from '@tollgate/contracts';
import type { AnswerReader, AnswerState, UpstreamError } from '../provider-dialect';
import type { AnswerPieces } from './answer-pieces';
import type { AnswerContext, SurfaceCodec } from './codec';
import { AnswerCollector } from './collect-answer';
import { EventTally } from './event-tally';
import type { GenerationEvent } from './generation-event';
import type { GuardedEvents } from './guarded-events';

const nothing = Buffer.alloc(0);
/** What a piece of a text has beside its characters while texts are put together, bytes, about. */
const besideBytes = 16;

/** Takes the canonical events of one answer and gives the caller's text of them. */
interface AnswerWriter {
  /** It writes nothing before the answer is whole. */
  readonly gathers?: true;
  write(event: GenerationEvent): string;
}

/** Writes an answer in the form that the caller asked for. */
export function answerWriter(surface: SurfaceCodec, context: AnswerContext): AnswerWriter {
  return context.request.stream ? surface.streamWriter(context) : new DocumentWriter(surface, context);
}

/** Writes the whole answer when it is over. */
class DocumentWriter implements AnswerWriter {
  readonly gathers = true;
  private readonly collector = new AnswerCollector();

  constructor(
    private readonly surface: SurfaceCodec,
    private readonly context: AnswerContext,
  ) {}

  write(event: GenerationEvent): string {
    this.collector.add(event);
    return event.type === 'end' ? JSON.stringify(this.surface.toResponse(this.collector.answer(), this.context)) : '';
  }
}

/**
 * Turns a provider's answer into the caller's dialect. What the caller asked for decides the outgoing form,
 * whatever form came in.
 * Nothing is handed on before content began or a choice finished, or before all of it is there where it is to
 * come in one piece, so that another provider may be tried until then.
 */
export class TranslatedAnswerReader implements AnswerReader {
  state: AnswerState = 'waiting';
  error: UpstreamError | null = null;
  usage: TokenUsage | null = null;
  answerId: string | null = null;
  gatheredBytes = 0;
  private readonly tally = new EventTally();
  /** Text that waits for the answer to begin. */
  private held = '';

  constructor(
    private readonly pieces: AnswerPieces,
    private readonly writer: AnswerWriter,
    /** Null: nothing is looked through. */
    private readonly guarded: GuardedEvents | null,
  ) {}

  get served(): TokenUsage['served'] {
    return this.pieces.served;
  }

  get hasContent(): boolean {
    return this.tally.hasContent;
  }

  push(bytes: Uint8Array): Uint8Array {
    return this.isOver() ? nothing : this.take(this.pieces.push(bytes));
  }

  end(): Uint8Array {
    return this.isOver() ? nothing : this.take(this.pieces.end());
  }

  countSome(): boolean {
    return this.tally.countSome();
  }

  outputTokensSeen(): number {
    return this.tally.tokens();
  }

  get outputLength(): number {
    return this.writer.gathers ? 0 : this.tally.length.value;
  }

  cut(usage: TokenUsage): Uint8Array {
    return this.take(this.pieces.cut(usage));
  }

  private isOver(): boolean {
    return this.state === 'complete' || this.state === 'failed';
  }

  private take(events: readonly GenerationEvent[]): Uint8Array {
    for (const event of events) this.read(event);
    if (this.state === 'waiting' || this.held === '') return nothing;
    const bytes = Buffer.from(this.held);
    this.held = '';
    return bytes;
  }

  private read(event: GenerationEvent): void {
    if (event.type === 'error') {
      this.state = 'failed';
      this.error = event.error;
      return;
    }
    if (event.type === 'usage') this.usage = event.usage;
    if (event.type === 'start') this.answerId = event.id;
    // What was generated counts, whether or not it may leave.
    this.tally.add(event);
    if (this.writer.gathers) this.gatheredBytes += bytesOf(event);
    if (!this.guarded) return this.tell(event);
    for (const left of this.guarded.take(event)) this.tell(left);
  }

  private tell(event: GenerationEvent): void {
    if (event.type === 'error') {
      this.state = 'failed';
      this.error = event.error;
    }
    if (this.state === 'failed') return;
    this.held += this.writer.write(event);
    if (event.type === 'end') this.state = 'complete';
    else if (this.state === 'waiting' && !this.writer.gathers && beginsAnswer(event)) this.state = 'flowing';
  }
}

/** What an event adds to an answer that is gathered. */
function bytesOf(event: GenerationEvent): number {
  const isPlain = 'text' in event && !('logprobs' in event);
  const text = isPlain ? event.text : event.type === 'tool-call-delta' ? event.arguments : JSON.stringify(event);
  return Buffer.byteLength(text) + besideBytes;
}

/** True for the first sign that an answer is under way. */
export function beginsAnswer(event: GenerationEvent): boolean {
  return event.type === 'finish' || event.type.endsWith('-start') || event.type.endsWith('-delta');
}
