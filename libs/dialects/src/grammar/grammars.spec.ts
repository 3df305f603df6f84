import type { StreamGrammar } from './stream-grammar';
import { ChatGrammar } from './chat-grammar';
import { MessagesGrammar } from './messages-grammar';
import { ResponsesGrammar } from './responses-grammar';

type Json = Record<string, unknown>;
type Event = readonly [name: string, json: unknown];

/** The first thing that is wrong with a stream, null when it is legal and whole. */
function verdict(grammar: StreamGrammar, events: readonly Event[]): string | null {
  for (const [name, json] of events) {
    const wrong = grammar.accept(name, json);
    if (wrong !== null) return wrong;
  }
  return grammar.end();
}

function chunk(choices: Json[], rest: Json = {}): Event {
  return ['', { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices, ...rest }];
}
function chat(delta: Json, finish: string | null = null, index = 0): Event {
  return chunk([{ index, delta, finish_reason: finish }]);
}
const role = chat({ role: 'assistant', content: '' });
const text = chat({ content: 'a' });
const stop = chat({}, 'stop');
const call = (index: number, id: string) =>
  chat({ tool_calls: [{ index, id, type: 'function', function: { name: 'f', arguments: '' } }] });
const usage = chunk([], { usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 } });
const done: Event = ['', '[DONE]'];

describe('the grammar of chat completion streams', () => {
  it.each([
    ['a text', [role, text, stop, done]],
    ['usage at the end', [role, text, stop, usage, done]],
    ['two calls', [role, call(0, 'a'), call(1, 'b'), chat({}, 'tool_calls'), done]],
    ['two choices', [role, chat({ role: 'assistant' }, null, 1), stop, chat({}, 'stop', 1), done]],
    ['an error half-way', [role, text, ['', { error: { message: 'broken' } }]]],
  ] as const)('takes %s', (_, events) => {
    expect(verdict(new ChatGrammar(), events)).toBeNull();
  });

  it.each([
    ['no end', [role, text, stop], 'without [DONE]'],
    ['an end without a finish', [role, text, done], 'before choice 0 has finished'],
    ['text behind the finish', [role, stop, text], 'after its finish reason'],
    ['a text before the role', [text], 'role'],
    ['the role twice', [role, role], 'told twice'],
    ['a call out of its order', [role, call(1, 'a')], 'where 0 is next'],
    ['one id for two calls', [role, call(0, 'a'), call(1, 'a')], 'two tool calls'],
    ['tool calls as the reason without one', [role, chat({}, 'tool_calls')], 'without one'],
    ['usage before the finish', [role, usage], 'before choice 0 has finished'],
    [
      'usage that does not add up',
      [role, stop, chunk([], { usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 4 } })],
      'sum',
    ],
    ['another id', [role, ['', { ...(text[1] as Json), id: 'd' }]], 'changed'],
    ['a named event', [['chunk', role[1]]], 'no names'],
    ['something behind the end', [role, stop, done, done], 'after the end'],
    ['nothing but an end', [done], 'before any choice'],
  ] as const)('refuses %s', (_, events, wrong) => {
    expect(verdict(new ChatGrammar(), events)).toContain(wrong);
  });
});

const named = (type: string, members: Json = {}): Event => [type, { type, ...members }];
const message = {
  id: 'm',
  type: 'message',
  role: 'assistant',
  model: 'm',
  content: [],
  stop_reason: null,
  stop_sequence: null,
};
const start = named('message_start', { message: { ...message, usage: { input_tokens: 1, output_tokens: 0 } } });
const open = (index: number, block: Json) => named('content_block_start', { index, content_block: block });
const delta = (index: number, change: Json) => named('content_block_delta', { index, delta: change });
const close = (index: number) => named('content_block_stop', { index });
const textBlock = { type: 'text', text: '' };
const toolBlock = { type: 'tool_use', id: 't', name: 'f', input: {} };
const textDelta = { type: 'text_delta', text: 'a' };
const ending = (reason: string) =>
  named('message_delta', { delta: { stop_reason: reason, stop_sequence: null }, usage: { output_tokens: 1 } });
const over = named('message_stop');

describe('the grammar of messages streams', () => {
  it.each([
    ['a text', [start, open(0, textBlock), delta(0, textDelta), close(0), ending('end_turn'), over]],
    [
      'a thought and a call',
      [
        start,
        named('ping'),
        open(0, { type: 'thinking', thinking: '', signature: '' }),
        delta(0, { type: 'signature_delta', signature: 's' }),
        close(0),
        open(1, toolBlock),
        delta(1, { type: 'input_json_delta', partial_json: '{}' }),
        close(1),
        ending('tool_use'),
        over,
      ],
    ],
    [
      'an error half-way',
      [start, open(0, textBlock), named('error', { error: { type: 'api_error', message: 'broken' } })],
    ],
  ] as const)('takes %s', (_, events) => {
    expect(verdict(new MessagesGrammar(), events)).toBeNull();
  });

  it.each([
    ['no end', [start, ending('end_turn')], 'without message_stop'],
    ['a block before the start', [open(0, textBlock)], 'where the message is new'],
    ['two open blocks', [start, open(0, textBlock), open(1, textBlock)], 'while another is open'],
    ['a gap in the blocks', [start, open(1, textBlock)], 'where 0 is next'],
    [
      'a text delta in a tool block',
      [start, open(0, toolBlock), delta(0, textDelta)],
      'text_delta in a block of type tool_use',
    ],
    ['a delta for a closed block', [start, open(0, textBlock), close(0), delta(0, textDelta)], 'none is open'],
    ['an end with an open block', [start, open(0, textBlock), ending('end_turn')], 'while a block is open'],
    [
      'a thought behind its signature',
      [
        start,
        open(0, { type: 'thinking', thinking: '' }),
        delta(0, { type: 'signature_delta', signature: 's' }),
        delta(0, { type: 'thinking_delta', thinking: 'a' }),
      ],
      'after the signature',
    ],
    ['a tool call as the reason without one', [start, ending('tool_use')], 'without one'],
    ['a stop without a reason', [start, over], 'without message_delta'],
    ['a name that is not the type', [['ping', { type: 'pong' }]], 'holds the type'],
    ['an id that clients refuse', [start, open(0, { ...toolBlock, id: 'a b' })], 'not legal'],
  ] as const)('refuses %s', (_, events, wrong) => {
    expect(verdict(new MessagesGrammar(), events)).toContain(wrong);
  });
});

/** A whole stream of one message, numbered when it is judged. */
const response = { id: 'r', object: 'response', model: 'm', created_at: 1, status: 'in_progress', output: [] };
const part = { type: 'output_text', text: 'ab', annotations: [] };
const item = { id: 'i', type: 'message', role: 'assistant', status: 'completed', content: [part] };
const place = { item_id: 'i', output_index: 0, content_index: 0 };
const whole: readonly Event[] = [
  named('response.created', { response }),
  named('response.in_progress', { response }),
  named('response.output_item.added', { output_index: 0, item: { ...item, status: 'in_progress', content: [] } }),
  named('response.content_part.added', { ...place, part: { ...part, text: '' } }),
  named('response.output_text.delta', { ...place, delta: 'a', logprobs: [] }),
  named('response.output_text.delta', { ...place, delta: 'b', logprobs: [] }),
  named('response.output_text.done', { ...place, text: 'ab' }),
  named('response.content_part.done', { ...place, part }),
  named('response.output_item.done', { output_index: 0, item }),
  named('response.completed', { response: { ...response, status: 'completed', output: [item] } }),
];

function numbered(events: readonly Event[]): Event[] {
  return events.map(([name, json], index) => [name, { ...(json as Json), sequence_number: index }]);
}

describe('the grammar of responses streams', () => {
  it('takes a message with its whole life', () => {
    expect(verdict(new ResponsesGrammar(), numbered(whole))).toBeNull();
  });

  it('takes an error half-way, which needs no number', () => {
    const error = named('error', { message: 'broken' });
    expect(verdict(new ResponsesGrammar(), [...numbered(whole.slice(0, 4)), error])).toBeNull();
  });

  it.each(whole.map(([name], index) => [name, index] as const))('misses %s (event %i)', (_, index) => {
    expect(verdict(new ResponsesGrammar(), numbered(whole.filter((__, at) => at !== index)))).not.toBeNull();
  });

  it.each(whole.map(([name], index) => [name, index] as const))('refuses %s (event %i) twice', (_, index) => {
    const twice = whole.flatMap((event, at) => (at === index ? [event, event] : [event]));
    expect(verdict(new ResponsesGrammar(), numbered(twice))).not.toBeNull();
  });

  it('refuses a gap in the numbers', () => {
    const events = numbered(whole).filter((_, index) => index !== 4);
    expect(verdict(new ResponsesGrammar(), events)).toContain('number 5 where 4 is next');
  });
});
