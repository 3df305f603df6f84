import type { TokenUsage } from '@tollgate/contracts';
import type { StreamEnding } from '../canonical/passing-answer-reader';
import { isRecord } from '../wire/json-value';
import { usageOf } from './response-object';

type Json = Record<string, unknown>;

/**
 * An item from `added` to `done`. `part` and `delta`: what its parts and its text last told of themselves.
 */
interface Item {
  whole: Json;
  isDone: boolean;
  part: Json | null;
  delta: Json | null;
  text: string;
}

/** The member that a text becomes when it is done, by the name of its event. */
const textMembers: Readonly<Record<string, string>> = {
  output_text: 'text',
  refusal: 'refusal',
  reasoning_summary_text: 'text',
  reasoning_text: 'text',
  function_call_arguments: 'arguments',
  custom_tool_call_input: 'input',
};

/**
 * Closes a responses stream early: whatever is open is told as done, and the response as incomplete.
 * https://platform.openai.com/docs/api-reference/responses-streaming
 */
export class ResponsesEnding implements StreamEnding {
  private response: Json = {};
  private readonly items = new Map<unknown, Item>();
  private sequence = 0;
  private out = '';

  add(event: Json): void {
    const { response, item, output_index: index } = event;
    if (typeof event.sequence_number === 'number') this.sequence = event.sequence_number + 1;
    if (isRecord(response)) this.response = response;
    else if (isRecord(item)) {
      const isDone = event.type === 'response.output_item.done';
      this.items.set(index, { whole: item, isDone, part: null, delta: null, text: '' });
    } else {
      const open = this.items.get(index);
      if (open) extend(open, event);
    }
  }

  close(usage: TokenUsage): string {
    for (const [index, item] of this.items) if (!item.isDone) this.finish(index, item);
    const response = {
      ...this.response,
      status: 'incomplete',
      incomplete_details: { reason: 'max_output_tokens' },
      output: [...this.items.values()].map(({ whole }) => whole),
      usage: usageOf(usage),
    };
    this.tell('response.incomplete', { response });
    return this.out;
  }

  private finish(index: unknown, item: Item): void {
    const { delta } = item;
    if (delta) {
      const { delta: _delta, obfuscation: _obfuscation, sequence_number: _number, type, ...place } = delta;
      const name = nameOf(type);
      this.tell(`response.${name}.done`, {
        ...place,
        ...(name === 'output_text' && { logprobs: [] }),
        [textMembers[name] ?? 'text']: item.text,
      });
      extend(item, { type: `response.${name}.done`, [textMembers[name] ?? 'text']: item.text });
    }
    if (item.part) {
      const { sequence_number: _number, type, ...place } = item.part;
      const told = String(type).replace(/added$/, 'done');
      this.tell(told, place);
      extend(item, { ...item.part, type: told });
    }
    item.whole = { ...item.whole, ...(item.whole.type !== 'reasoning' && { status: 'incomplete' }) };
    this.tell('response.output_item.done', { output_index: index, item: item.whole });
  }

  private tell(type: string, members: object): void {
    this.out += `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: this.sequence++, ...members })}\n\n`;
  }
}

/** Takes an event inside of an item. */
function extend(item: Item, event: Json): void {
  const type = String(event.type);
  if (typeof event.delta === 'string') {
    item.delta = event;
    item.text += event.delta;
  } else if (type.endsWith('_part.added')) item.part = event;
  else if (type.endsWith('_part.done')) {
    const list = type.includes('summary') ? 'summary' : 'content';
    const before = item.whole[list];
    item.whole = { ...item.whole, [list]: [...(Array.isArray(before) ? (before as unknown[]) : []), event.part] };
    item.part = null;
  } else if (type.endsWith('.done')) endText(item, type, event);
}

/** A text that is whole stands in its part, or in the item itself. */
function endText(item: Item, type: string, event: Json): void {
  const member = textMembers[nameOf(type)];
  if (member === undefined) return;
  const text = event[member];
  if (item.part && isRecord(item.part.part)) item.part = { ...item.part, part: { ...item.part.part, [member]: text } };
  else item.whole = { ...item.whole, [member]: text };
  item.delta = null;
  item.text = '';
}

/** `output_text` for the events of an output text. */
function nameOf(type: unknown): string {
  return String(type)
    .replace(/^response\./, '')
    .replace(/\.(?:delta|done)$/, '');
}
