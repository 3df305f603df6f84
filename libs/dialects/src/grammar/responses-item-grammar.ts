import { isDeepStrictEqual } from 'node:util';
import { ResponsesParts } from './responses-parts';
import { broken, countIn, demand, listIn, nameIn, oneOf, textIn } from './stream-grammar';

type Json = Record<string, unknown>;

/** The one text that a call streams, by the type of its item. */
const callText: Readonly<Record<string, { field: string; event: string }>> = {
  function_call: { field: 'arguments', event: 'response.function_call_arguments' },
  custom_tool_call: { field: 'input', event: 'response.custom_tool_call_input' },
};

/**
 * One item of a responses stream, from `added` to `done`.
 * https://platform.openai.com/docs/api-reference/responses-streaming/response/output_item
 */
export class ResponsesItemGrammar {
  readonly id: string;
  /** The item as it was when it was done, null until then. */
  whole: Json | null = null;
  private readonly type: string;
  private readonly parts: ResponsesParts;
  private text = '';
  private isTextDone = false;

  constructor(private readonly added: Json) {
    this.id = nameIn(added, 'id');
    this.type = nameIn(added, 'type');
    this.parts = new ResponsesParts(this.type);
    if (this.type === 'message') this.beginMessage(added);
    else if (this.type === 'reasoning') listIn(added, 'summary');
    else this.beginCall(added);
  }

  take(eventName: string, json: Json): void {
    demand(this.whole === null, `${eventName} after its item was done`);
    demand(json.item_id === this.id, `${eventName} names the item ${String(json.item_id)}, which is ${this.id}`);
    const call = callText[this.type];
    if (call) return this.takeCall(eventName, json, call);
    this.parts.take(eventName, json);
  }

  done(item: Json): void {
    demand(this.whole === null, 'an item is done twice');
    demand(item.id === this.id && item.type === this.type, 'an item is done as another one');
    if (this.type === 'message') this.endMessage(item);
    else if (this.type === 'reasoning') this.endReasoning(item);
    else this.endCall(item);
    this.whole = item;
  }

  private beginMessage(item: Json): void {
    oneOf(item, 'role', ['assistant']);
    oneOf(item, 'status', ['in_progress']);
    demand(listIn(item, 'content').length === 0, 'a message begins with content');
  }

  private endMessage(item: Json): void {
    oneOf(item, 'role', ['assistant']);
    oneOf(item, 'status', ['completed', 'incomplete']);
    demand(isDeepStrictEqual(item.content, this.parts.whole()), 'a message is not what its parts came to');
  }

  private endReasoning(item: Json): void {
    demand(isDeepStrictEqual(item.summary, this.parts.whole()), 'a summary is not what its parts came to');
    if ((item.encrypted_content ?? null) !== null) nameIn(item, 'encrypted_content');
  }

  private beginCall(item: Json): void {
    const { field } = callText[this.type] ?? broken(`there is no item of type '${this.type}'`);
    oneOf(item, 'status', ['in_progress']);
    nameIn(item, 'call_id');
    nameIn(item, 'name');
    demand(textIn(item, field) === '', `a call begins with its ${field}`);
  }

  private takeCall(eventName: string, json: Json, { field, event }: { field: string; event: string }): void {
    demand(!this.isTextDone, `${eventName} after the ${field} were done`);
    countIn(json, 'output_index');
    if (eventName === `${event}.delta`) {
      this.text += textIn(json, 'delta');
      return;
    }
    demand(eventName === `${event}.done`, `${eventName} in an item of type ${this.type}`);
    demand(textIn(json, field) === this.text, `the ${field} are not what the deltas came to`);
    this.isTextDone = true;
  }

  private endCall(item: Json): void {
    const { field } = callText[this.type] ?? broken('no call');
    oneOf(item, 'status', ['completed', 'incomplete']);
    demand(this.isTextDone, `a call is done before its ${field}`);
    demand(item[field] === this.text, `the ${field} of a call are not what the deltas came to`);
    for (const name of ['call_id', 'name']) demand(item[name] === this.added[name], `the ${name} of a call changed`);
  }
}
