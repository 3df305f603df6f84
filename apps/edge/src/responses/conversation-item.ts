import { randomBytes } from 'node:crypto';
import { isKeptId } from './turn';

/** An item of a response or a conversation, as JSON. */
export type Item = Record<string, unknown>;

/** What ids of items begin with, by type. https://platform.openai.com/docs/api-reference/conversations/list-items */
const idStarts: Readonly<Record<string, string>> = {
  message: 'msg',
  reasoning: 'rs',
  function_call: 'fc',
  function_call_output: 'fco',
  custom_tool_call: 'ctc',
  custom_tool_call_output: 'ctco',
};

/** The items of a list that is JSON text. */
export function itemsIn(list: Uint8Array): Item[] {
  return JSON.parse(Buffer.from(list).toString('utf8')) as Item[];
}

/** An item as it came, and the id that it is kept under: its own, or one that is made for it. */
export interface NewItem {
  readonly id: string;
  readonly item: Item;
}

export function newItem(item: Item): NewItem {
  const { id, type = 'message' } = item;
  const made = () => `${idStarts[typeof type === 'string' ? type : ''] ?? 'item'}_${randomBytes(24).toString('hex')}`;
  return { item, id: isKeptId(id) ? id : made() };
}

/** An item as it is told: with its id, its type, and the short form of a message, `{role, content: 'text'}`, in the long one, as OpenAI does. */
export function toldItem(item: Item, id: string): Item & { id: string } {
  const { type = 'message', content } = item;
  const part = { type: item.role === 'assistant' ? 'output_text' : 'input_text', text: content };
  const whole = typeof content === 'string' ? { ...item, content: [part] } : item;
  return { type, ...whole, id };
}
