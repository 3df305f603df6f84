import type { TokenUsage } from '@tollgate/contracts';
import { maxAnswerBytes, maxEventBytes } from '../wire/answer-limits';
import { AwsEventSplitter } from '../wire/aws-event-splitter';
import { SseEventTooLongError, SseSplitter } from '../wire/sse-splitter';
import type { SseEvent } from '../wire/sse-splitter';
import type { AnswerEvents } from './answer-events';
import type { ProviderCodec } from './codec';
import type { GenerationEvent } from './generation-event';

/**
 * Bytes of one answer in, legal canonical events out. One per answer; any split of the bytes gives the same
 * events.
 */
export interface AnswerPieces {
  push(bytes: Uint8Array): GenerationEvent[];
  /** The upstream closed. The last event is always `end` or `error`, if none of them came before. */
  end(): GenerationEvent[];
  /** Nothing more is wanted of it: the events that end it as an answer that reached its limit of output. */
  cut(usage: TokenUsage): GenerationEvent[];
  /** What served the answer, as far as it is told before its usage. */
  readonly served: TokenUsage['served'];
}

/** An answer that is one JSON document. It is kept until it is whole. */
export class DocumentPieces implements AnswerPieces {
  private readonly parts: Uint8Array[] = [];
  private length = 0;

  constructor(private readonly events: AnswerEvents) {}

  push(bytes: Uint8Array): GenerationEvent[] {
    if (this.events.isOver) return [];
    this.length += bytes.length;
    if (this.length > maxAnswerBytes) {
      this.parts.length = 0;
      return this.events.broken('answer_too_large', `sent an answer of more than ${maxAnswerBytes} bytes`);
    }
    this.parts.push(bytes);
    return [];
  }

  end(): GenerationEvent[] {
    if (this.events.isOver) return [];
    return this.events.document(Buffer.concat(this.parts, this.length).toString('utf8'));
  }

  get served(): TokenUsage['served'] {
    return this.events.served;
  }

  cut(usage: TokenUsage): GenerationEvent[] {
    return this.events.cut(usage);
  }
}

/** An answer that is a server-sent event stream. */
class SsePieces implements AnswerPieces {
  private readonly splitter = new SseSplitter(maxEventBytes);

  constructor(private readonly events: AnswerEvents) {}

  push(bytes: Uint8Array): GenerationEvent[] {
    return this.collect((onEvent) => this.splitter.push(bytes, onEvent));
  }

  end(): GenerationEvent[] {
    const last = this.collect((onEvent) => this.splitter.end(onEvent));
    return [...last, ...this.events.close()];
  }

  get served(): TokenUsage['served'] {
    return this.events.served;
  }

  cut(usage: TokenUsage): GenerationEvent[] {
    return this.events.cut(usage);
  }

  private collect(step: (onEvent: (event: SseEvent) => void) => void): GenerationEvent[] {
    const found: GenerationEvent[] = [];
    try {
      step((event) => {
        if (event.hasData) found.push(...this.events.event(nameOf(event), dataOf(event)));
      });
    } catch (error) {
      if (!(error instanceof SseEventTooLongError)) throw error;
      found.push(...this.events.broken('malformed_answer', `sent an event of more than ${error.limitBytes} bytes`));
    }
    return found;
  }
}

/**
 * An answer in the binary event stream of AWS.
 * https://docs.aws.amazon.com/AmazonS3/latest/API/RESTSelectObjectAppendix.html
 */
class AwsPieces implements AnswerPieces {
  private readonly splitter = new AwsEventSplitter(maxEventBytes);

  constructor(private readonly events: AnswerEvents) {}

  push(bytes: Uint8Array): GenerationEvent[] {
    const found: GenerationEvent[] = [];
    if (this.events.isOver) return found;
    try {
      this.splitter.push(bytes, (name, payload) => found.push(...this.events.event(name, payload)));
    } catch (error) {
      const reason = error instanceof Error ? error.message : 'unreadable';
      found.push(...this.events.broken('malformed_answer', `sent a malformed event frame (${reason})`));
    }
    return found;
  }

  end(): GenerationEvent[] {
    if (!this.events.isOver && !this.splitter.end()) {
      return this.events.broken('unfinished_answer', 'closed the stream in the middle of an event');
    }
    return this.events.close();
  }

  get served(): TokenUsage['served'] {
    return this.events.served;
  }

  cut(usage: TokenUsage): GenerationEvent[] {
    return this.events.cut(usage);
  }
}

/** The reader of a stream in this framing. */
export function streamPieces(framing: ProviderCodec['framing'], events: AnswerEvents): AnswerPieces {
  return framing === 'aws' ? new AwsPieces(events) : new SsePieces(events);
}

/** The name of an event, '' when it has none. */
export function nameOf(event: SseEvent): string {
  return event.bytes.toString('utf8', event.nameStart, event.nameEnd);
}

/** The data of an event that has some. */
export function dataOf(event: SseEvent): string {
  return event.data.toString('utf8', event.dataStart, event.dataEnd);
}
