import { isDeepStrictEqual } from 'node:util';
import { isRecord } from '../wire/json-value';
import { ResponsesItemGrammar } from './responses-item-grammar';
import { broken, countIn, demand, judged, listIn, nameIn, objectIn, oneOf } from './stream-grammar';
import type { StreamGrammar } from './stream-grammar';

type Json = Record<string, unknown>;

/** The status that a response has in each event that ends its stream. */
const endings: Readonly<Record<string, string>> = {
  'response.completed': 'completed',
  'response.incomplete': 'incomplete',
  'response.failed': 'failed',
};

/**
 * Responses streams: every event numbered without a gap; `response.created`, `response.in_progress`; items by
 * their index with their whole life (added, parts, done);
 * one ending with the whole response, whose output is what the items came to. `error` ends a stream that
 * failed, with or without a number.
 * https://platform.openai.com/docs/api-reference/responses-streaming
 */
export class ResponsesGrammar implements StreamGrammar {
  private state: 'new' | 'created' | 'open' | 'over' = 'new';
  private sequence = 0;
  private id = '';
  private readonly items: ResponsesItemGrammar[] = [];
  private readonly ids = new Set<string>();

  accept(eventName: string, json: unknown): string | null {
    return judged(() => this.judge(eventName, json));
  }

  end(): string | null {
    return this.state === 'over' ? null : 'the stream closed before the response ended';
  }

  private judge(eventName: string, json: unknown): void {
    demand(this.state !== 'over', 'an event after the end');
    if (!isRecord(json)) return broken('an event is no object');
    demand(json.type === eventName, `the event '${eventName}' holds the type '${String(json.type)}'`);
    if (eventName === 'error') return this.error(json);
    const number = countIn(json, 'sequence_number');
    demand(number === this.sequence, `number ${number} where ${this.sequence} is next`);
    this.sequence++;
    if (Object.hasOwn(endings, eventName)) return this.finish(eventName, objectIn(json, 'response'));
    switch (eventName) {
      case 'response.created':
        return this.create(objectIn(json, 'response'));
      case 'response.in_progress':
        return this.progress(objectIn(json, 'response'));
      case 'response.output_item.added':
        return this.addItem(json);
      case 'response.output_item.done':
        return this.item(json).done(objectIn(json, 'item'));
      default:
        return this.item(json).take(eventName, json);
    }
  }

  private create(response: Json): void {
    demand(this.state === 'new', 'a second response.created');
    this.state = 'created';
    this.id = nameIn(response, 'id');
    this.begun(response);
  }

  private progress(response: Json): void {
    demand(this.state === 'created', 'response.in_progress out of its place');
    this.state = 'open';
    this.begun(response);
  }

  private begun(response: Json): void {
    this.sameResponse(response, 'in_progress');
    demand(listIn(response, 'output').length === 0, 'a response begins with output');
  }

  private sameResponse(response: Json, status: string): void {
    oneOf(response, 'object', ['response']);
    demand(response.id === this.id, `the id of the response changed to ${String(response.id)}`);
    oneOf(response, 'status', [status]);
    nameIn(response, 'model');
    countIn(response, 'created_at');
  }

  private addItem(json: Json): void {
    demand(this.state === 'open', `an item where the response is ${this.state}`);
    const index = countIn(json, 'output_index');
    demand(index === this.items.length, `item ${index} begins where ${this.items.length} is next`);
    const item = new ResponsesItemGrammar(objectIn(json, 'item'));
    demand(!this.ids.has(item.id), `two items have the id ${item.id}`);
    this.ids.add(item.id);
    this.items.push(item);
  }

  private item(json: Json): ResponsesItemGrammar {
    const index = countIn(json, 'output_index');
    return this.items[index] ?? broken(`item ${index} goes on before it was added`);
  }

  private finish(eventName: string, response: Json): void {
    demand(this.state === 'open', `${eventName} where the response is ${this.state}`);
    this.state = 'over';
    this.sameResponse(response, endings[eventName] ?? '');
    if (eventName === 'response.failed') return void objectIn(response, 'error');
    for (const [index, item] of this.items.entries()) demand(item.whole !== null, `item ${index} was never done`);
    const output = this.items.map(({ whole }) => whole);
    demand(isDeepStrictEqual(response.output, output), 'the output is not what the items came to');
    if (eventName === 'response.incomplete') nameIn(objectIn(response, 'incomplete_details'), 'reason');
    else demand((response.incomplete_details ?? null) === null, 'a completed response says why it is incomplete');
    checkUsage(response);
  }

  /** The gateway does not read its own streams, so the error that ends one knows no number. */
  private error(json: Json): void {
    nameIn(json, 'message');
    this.state = 'over';
  }
}

/** A provider may have told no usage: null. */
function checkUsage(response: Json): void {
  if ((response.usage ?? null) === null) return;
  const usage = objectIn(response, 'usage');
  const total = countIn(usage, 'input_tokens') + countIn(usage, 'output_tokens');
  demand(countIn(usage, 'total_tokens') === total, 'total_tokens is not the sum of input and output');
  countIn(objectIn(usage, 'input_tokens_details'), 'cached_tokens');
  countIn(objectIn(usage, 'output_tokens_details'), 'reasoning_tokens');
}
