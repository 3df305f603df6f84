import type { TokenUsage } from '@tollgate/contracts';
import { brokenAnswer } from '../upstream-error/broken-answer';
import { parseJson } from '../wire/json-value';
import type { AnswerParser } from './codec';
import type { GenerationEvent } from './generation-event';
import { LegalEvents } from './legal-events';
import type { ToolNames } from './tool-names';

/**
 * The pieces of one provider answer in, legal canonical events out: JSON, the parser and the order of events
 * in one place.
 */
export class AnswerEvents {
  /** What the data of the last event of a stream was, parsed. */
  value: unknown;
  private readonly legal: LegalEvents;

  constructor(
    private readonly parser: AnswerParser,
    private readonly providerName: string,
    /** Null: the provider calls tools as the caller does. */
    private readonly names: ToolNames | null = null,
  ) {
    this.legal = new LegalEvents(providerName);
  }

  /** True once `end` or `error` was given out. */
  get isOver(): boolean {
    return this.legal.isOver;
  }

  /** True once the answer has begun with something that no event tells. */
  get isAtWork(): boolean {
    return this.parser.isAtWork ?? false;
  }

  /** What served the answer, as far as it is told before its usage. */
  get served(): TokenUsage['served'] {
    return this.parser.served;
  }

  /** One event of a stream; `text` is its data. */
  event(name: string, text: string): GenerationEvent[] {
    if (text.trim() === '') return [];
    if (text.trim() === '[DONE]') return this.ordered(this.parser.onEvent(name, '[DONE]'));
    const value = (this.value = parseJson(text));
    if (value !== undefined) return this.ordered(this.parser.onEvent(name, value));
    return name === 'error'
      ? this.broken('error_in_answer', 'broke off the stream with an error')
      : this.broken('malformed_answer', 'sent a malformed event');
  }

  /** A whole answer that is one JSON document. */
  document(text: string): GenerationEvent[] {
    if (text.trim() === '') return this.broken('empty_answer', 'sent an empty answer');
    const value = parseJson(text.startsWith('\ufeff') ? text.slice(1) : text);
    return value === undefined
      ? this.broken('malformed_answer', 'sent malformed JSON')
      : [...this.ordered(this.parser.onDocument(value)), ...this.ordered([{ type: 'end' }])];
  }

  /** The stream closed: an answer that is not over by now is a failure. */
  close(): GenerationEvent[] {
    if (this.isOver) return [];
    return [...this.ordered(this.parser.onClose()), ...this.ordered([{ type: 'end' }])];
  }

  /** Ends the answer as one that reached its limit of output. */
  cut(usage: TokenUsage): GenerationEvent[] {
    const finishes = this.legal.openChoices.map((choice) => ({ type: 'finish', choice, reason: 'length' }) as const);
    return this.ordered([...finishes, { type: 'usage', usage }, { type: 'end' }]);
  }

  /** Ends the answer with a failure. `what` completes "<provider> ...". */
  broken(code: string, what: string): GenerationEvent[] {
    return this.ordered([{ type: 'error', error: brokenAnswer(this.providerName, code, what) }]);
  }

  private ordered(events: readonly GenerationEvent[]): GenerationEvent[] {
    return events.flatMap((event) => this.legal.take(this.named(event)));
  }

  /** A call in the caller's own name for its tool. */
  private named(event: GenerationEvent): GenerationEvent {
    return event.type === 'tool-call-start' && this.names ? { ...event, name: this.names.from(event.name) } : event;
  }
}
