import { isRecord } from '../wire/json-value';
import { ChatChoiceGrammar } from './chat-choice-grammar';
import { broken, countIn, demand, judged, listIn, nameIn, objectIn, oneOf } from './stream-grammar';
import type { StreamGrammar } from './stream-grammar';

type Json = Record<string, unknown>;

/**
 * Chat completion streams: chunks without event names that share id, time and model; per choice the role
 * first, then content, then one finish reason; after every choice has finished at most one chunk of usage
 * without choices; `[DONE]` last. An error object ends a stream that failed.
 * https://platform.openai.com/docs/api-reference/chat-streaming
 */
export class ChatGrammar implements StreamGrammar {
  private readonly choices = new Map<number, ChatChoiceGrammar>();
  private head: string | null = null;
  private hasUsage = false;
  private isOver = false;

  accept(eventName: string, json: unknown): string | null {
    return judged(() => this.judge(eventName, json));
  }

  end(): string | null {
    return this.isOver ? null : 'the stream closed without [DONE]';
  }

  private judge(eventName: string, json: unknown): void {
    demand(!this.isOver, 'an event after the end');
    demand(eventName === '', `events have no names here, this one is '${eventName}'`);
    if (json === '[DONE]') return this.done();
    if (!isRecord(json)) return broken('a chunk is no object');
    if ('error' in json) return this.error(json);
    this.sameHead(json);
    const choices = listIn(json, 'choices');
    if (choices.length === 0) return this.usage(json);
    demand(!this.hasUsage, 'choices after the chunk of usage');
    demand((json.usage ?? null) === null, 'usage in a chunk with choices');
    for (const choice of choices) this.choice(isRecord(choice) ? choice : broken('a choice is no object'));
  }

  private sameHead(chunk: Json): void {
    oneOf(chunk, 'object', ['chat.completion.chunk']);
    const head = JSON.stringify([nameIn(chunk, 'id'), countIn(chunk, 'created'), nameIn(chunk, 'model')]);
    this.head ??= head;
    demand(head === this.head, `id, created or model changed from ${this.head} to ${head}`);
  }

  private choice(choice: Json): void {
    const index = countIn(choice, 'index');
    let grammar = this.choices.get(index);
    if (!grammar) this.choices.set(index, (grammar = new ChatChoiceGrammar()));
    grammar.take(choice);
  }

  private usage(chunk: Json): void {
    demand(!this.hasUsage, 'a second chunk of usage');
    this.allFinished('the chunk of usage');
    this.hasUsage = true;
    const usage = objectIn(chunk, 'usage');
    const total = countIn(usage, 'prompt_tokens') + countIn(usage, 'completion_tokens');
    demand(countIn(usage, 'total_tokens') === total, 'total_tokens is not the sum of prompt and completion');
  }

  private done(): void {
    this.allFinished('[DONE]');
    this.isOver = true;
  }

  private allFinished(what: string): void {
    demand(this.choices.size > 0, `${what} before any choice`);
    for (let index = 0; index < this.choices.size; index++) {
      const choice = this.choices.get(index);
      if (!choice) return broken(`${what} without a choice ${index}`);
      demand(choice.isFinished, `${what} before choice ${index} has finished`);
    }
  }

  private error(json: Json): void {
    nameIn(objectIn(json, 'error'), 'message');
    this.isOver = true;
  }
}
