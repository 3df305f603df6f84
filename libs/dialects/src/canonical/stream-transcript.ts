import type { Transcript } from '../surface-dialect';
import { maxEventBytes } from '../wire/answer-limits';
import { SseEventTooLongError, SseSplitter } from '../wire/sse-splitter';
import type { SseEvent } from '../wire/sse-splitter';
import { AnswerEvents } from './answer-events';
import { dataOf, nameOf } from './answer-pieces';
import type { AnswerParser } from './codec';
import { EventTally } from './event-tally';

/** Counts what a caller of a stream was sent, by the parser of its dialect. Only whole events count. */
export class StreamTranscript implements Transcript {
  private readonly splitter = new SseSplitter(maxEventBytes);
  private readonly tally = new EventTally();
  private readonly events: AnswerEvents;
  private isReadable = true;

  constructor(parser: AnswerParser) {
    this.events = new AnswerEvents(parser, '');
  }

  push(bytes: Uint8Array): void {
    if (!this.isReadable) return;
    try {
      this.splitter.push(bytes, (event) => this.read(event));
    } catch (error) {
      if (!(error instanceof SseEventTooLongError)) throw error;
      this.isReadable = false;
    }
  }

  outputTokens(): number {
    return this.tally.tokens();
  }

  private read(event: SseEvent): void {
    if (!event.hasData) return;
    for (const read of this.events.event(nameOf(event), dataOf(event))) this.tally.add(read);
  }
}
