import type { ServedTerms } from '@tollgate/contracts';
import type { SseEvent } from '../wire/sse-splitter';
import { AnswerEvents } from './answer-events';
import { dataOf, nameOf } from './answer-pieces';
import type { AnswerParser } from './codec';
import { EventTally } from './event-tally';
import { SseTranscript } from './sse-transcript';

/** Counts what a caller of a stream was sent, by the parser of its dialect. Only whole events count. */
export class StreamTranscript extends SseTranscript {
  private readonly tally = new EventTally();
  private readonly events: AnswerEvents;

  constructor(
    private readonly parser: AnswerParser & { servedBy(providerId: string | undefined): ServedTerms | undefined },
  ) {
    super();
    this.events = new AnswerEvents(parser, '');
  }

  outputTokens(): number {
    return this.tally.tokens();
  }

  served(providerId: string): ServedTerms | undefined {
    return this.parser.servedBy(providerId);
  }

  protected read(event: SseEvent): void {
    for (const read of this.events.event(nameOf(event), dataOf(event))) this.tally.add(read);
  }
}
