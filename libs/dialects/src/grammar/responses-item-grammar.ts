import { isDeepStrictEqual } from 'node:util';
import { broken, countIn, demand, listIn, nameIn, oneOf, textIn, objectIn } from './stream-grammar';

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

interface Part {
  type: string;
  text: string;
  annotations: Json[];
  logprobs: unknown[];
  isTextDone: boolean;
  whole: Json | null;
}

/** How each kind of part is spoken of: its field, and the events that fill it. */
const kinds: Readonly<Record<string, { field: string; event: string }>> = {
  output_text: { field: 'text', event: 'response.output_text' },
  refusal: { field: 'refusal', event: 'response.refusal' },
  summary_text: { field: 'text', event: 'response.reasoning_summary_text' },
};

/** How the parts of an item are added, counted and ended, by the type of the item. */
const frames: Readonly<Record<string, { event: string; index: string; parts: readonly string[] }>> = {
  message: { event: 'response.content_part', index: 'content_index', parts: ['output_text', 'refusal'] },
  reasoning: { event: 'response.reasoning_summary_part', index: 'summary_index', parts: ['summary_text'] },
};

/** The parts of a message or of a summary of reasoning: each is added, filled, told whole, and done. */
class ResponsesParts {
  private readonly parts: Part[] = [];

  constructor(private readonly itemType: string) {}

  take(eventName: string, json: Json): void {
    const frame = frames[this.itemType] ?? broken(`${eventName} in an item of type ${this.itemType}`);
    const index = countIn(json, frame.index);
    if (eventName === `${frame.event}.added`) return this.add(index, objectIn(json, 'part'), frame.parts);
    const part = this.parts[index] ?? broken(`part ${index} goes on before it was added`);
    demand(part.whole === null, `${eventName} after its part was done`);
    if (eventName === `${frame.event}.done`) return finishPart(part, objectIn(json, 'part'));
    fill(part, eventName, json);
  }

  /** The parts as they were when they were done; an open part is told. */
  whole(): Json[] {
    return this.parts.map(({ whole }, index) => whole ?? broken(`part ${index} was never done`));
  }

  private add(index: number, part: Json, types: readonly string[]): void {
    demand(index === this.parts.length, `part ${index} begins where ${this.parts.length} is next`);
    const type = nameIn(part, 'type');
    const kind = kinds[type];
    if (!kind || !types.includes(type)) return broken(`a part of type ${type} in an item of type ${this.itemType}`);
    demand(textIn(part, kind.field) === '', 'a part begins with text');
    this.parts.push({ type, text: '', annotations: [], logprobs: [], isTextDone: false, whole: null });
  }
}

function fill(part: Part, eventName: string, json: Json): void {
  const { field, event } = kinds[part.type] ?? broken('no kind');
  demand(!part.isTextDone, `${eventName} after the text was done`);
  switch (eventName) {
    case `${event}.delta`:
      part.text += textIn(json, 'delta');
      if (part.type === 'output_text') part.logprobs.push(...listIn(json, 'logprobs'));
      return;
    case `${event}.done`:
      demand(textIn(json, field) === part.text, 'a text is not what its deltas came to');
      part.isTextDone = true;
      return;
    case 'response.output_text.annotation.added':
      demand(part.type === 'output_text', 'an annotation of a part without text');
      demand(countIn(json, 'annotation_index') === part.annotations.length, 'an annotation out of its order');
      part.annotations.push(objectIn(json, 'annotation'));
      return;
    default:
      return broken(`${eventName} in a part of type ${part.type}`);
  }
}

function finishPart(part: Part, whole: Json): void {
  const { field } = kinds[part.type] ?? broken('no kind');
  demand(part.isTextDone, 'a part is done before its text');
  demand(whole.type === part.type && whole[field] === part.text, 'a part is not what its deltas came to');
  if (part.type === 'output_text') {
    demand(isDeepStrictEqual(whole.annotations, part.annotations), 'the annotations of a part changed');
    if (whole.logprobs !== undefined)
      demand(isDeepStrictEqual(whole.logprobs, part.logprobs), 'the log probabilities of a part changed');
  }
  part.whole = whole;
}
