import { ResponsesGrammar } from '../grammar/responses-grammar';
import { eventsIn } from '../proof/sse-text.fixture';
import { isRecord, recordIn } from '../wire/json-value';
import type { GenerationEvent } from '../canonical/generation-event';
import { answerOf, callBlock, documented, streamed, textBlock } from './written.fixture';

const patchTool = { type: 'custom', name: 'apply_patch' };
const orders = { type: 'namespace', name: 'crm', description: 'd', tools: [{ type: 'function', name: 'list_orders' }] };

function names(sse: string): string[] {
  return eventsIn(sse).map(({ name }) => name.replace('response.', ''));
}

/** The response in the last event of a stream. */
function finalOf(sse: string): Record<string, unknown> {
  const { json } = eventsIn(sse).at(-1) ?? {};
  return recordIn(isRecord(json) ? json : {}, 'response');
}

/** A document has ids of its own. */
function withoutIds(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (name, each: unknown) => (name === 'id' ? 'id' : each)));
}

function illegal(sse: string): string | null {
  const grammar = new ResponsesGrammar();
  for (const { name, json } of eventsIn(sse)) {
    const wrong = grammar.accept(name, json);
    if (wrong !== null) return wrong;
  }
  return grammar.end();
}

const thought: GenerationEvent[] = [
  { type: 'reasoning-start', choice: 0, block: 0 },
  { type: 'reasoning-delta', choice: 0, block: 0, text: 'Hm.' },
  {
    type: 'reasoning-end',
    choice: 0,
    block: 0,
    seal: { dialect: 'anthropic-messages', kind: 'signature', value: 's==' },
  },
];

describe('a responses stream', () => {
  it('tells the whole life of reasoning, a message and a call, in the order of the documentation', () => {
    const sse = streamed(answerOf([...thought, ...textBlock(1, 'Hel', 'lo'), ...callBlock(2, 'f', '{"a":', '1}')]));
    expect(names(sse)).toEqual([
      'created',
      'in_progress',
      'output_item.added',
      'reasoning_summary_part.added',
      'reasoning_summary_text.delta',
      'reasoning_summary_text.done',
      'reasoning_summary_part.done',
      'output_item.done',
      'output_item.added',
      'content_part.added',
      'output_text.delta',
      'output_text.delta',
      'output_text.done',
      'content_part.done',
      'output_item.done',
      'output_item.added',
      'function_call_arguments.delta',
      'function_call_arguments.delta',
      'function_call_arguments.done',
      'output_item.done',
      'completed',
    ]);
    expect(illegal(sse)).toBeNull();
  });

  it('numbers its events without a gap', () => {
    const numbers = eventsIn(streamed(answerOf(textBlock(0, 'a', 'b')))).map(({ json }) =>
      isRecord(json) ? json.sequence_number : null,
    );
    expect(numbers).toEqual(numbers.map((_, index) => index));
  });

  it('shows a sealed thought without words as an item without a summary', () => {
    const sealed = thought.filter(({ type }) => type !== 'reasoning-delta');
    const sse = streamed(answerOf([...sealed, ...textBlock(1, 'x')]));
    expect(names(sse)).not.toContain('reasoning_summary_part.added');
    expect(finalOf(sse).output).toMatchObject([
      { type: 'reasoning', summary: [], encrypted_content: expect.stringMatching(/^tollgate:/) },
      { type: 'message' },
    ]);
  });

  it('gives a refusal as a part of a message', () => {
    const refusal: GenerationEvent[] = [
      { type: 'refusal-start', choice: 0, block: 0 },
      { type: 'refusal-delta', choice: 0, block: 0, text: 'No.' },
    ];
    const sse = streamed(answerOf(refusal, 'refusal'));
    expect(names(sse).filter((name) => name.startsWith('refusal'))).toEqual(['refusal.delta', 'refusal.done']);
    expect(finalOf(sse)).toMatchObject({
      status: 'completed',
      output: [{ type: 'message', content: [{ type: 'refusal', refusal: 'No.' }] }],
    });
  });

  it('shows the sources of other providers as citations of a URL, and none without one', () => {
    const source = { dialect: 'gemini', title: null, original: {} } as const;
    const [start, delta, end] = textBlock(0, 'x');
    const cited: GenerationEvent[] = [
      { type: 'citation', choice: 0, block: 0, citation: { ...source, url: 'https://a.example/' } },
      { type: 'citation', choice: 0, block: 0, citation: { ...source, url: null } },
    ];
    const sse = streamed(answerOf([start, delta, ...cited, end].filter((event) => event !== undefined)));
    expect(names(sse).filter((name) => name === 'output_text.annotation.added')).toHaveLength(1);
    expect(finalOf(sse).output).toMatchObject([
      { content: [{ annotations: [{ type: 'url_citation', url: 'https://a.example/', title: '' }] }] },
    ]);
    expect(illegal(sse)).toBeNull();
  });

  it.each([
    ['length', 'max_output_tokens'],
    ['context-length', 'max_output_tokens'],
    ['content-filter', 'content_filter'],
  ] as const)('ends incomplete for %s, and says so of the item it was cut off in', (reason, told) => {
    const sse = streamed(answerOf([...callBlock(0, 'f', '{}'), ...callBlock(1, 'f', '{"a')], reason));
    expect(names(sse).at(-1)).toBe('incomplete');
    expect(finalOf(sse)).toMatchObject({
      status: 'incomplete',
      incomplete_details: { reason: told },
      output: [{ status: 'completed' }, { status: 'incomplete', arguments: '{"a' }],
    });
    expect(illegal(sse)).toBeNull();
  });

  it('says of a text that was cut off that it is incomplete', () => {
    const sse = streamed(answerOf([...callBlock(0, 'f', '{}'), ...textBlock(1, 'once upon')], 'length'));
    expect(finalOf(sse).output).toMatchObject([{ status: 'completed' }, { status: 'incomplete' }]);
  });

  it('gives a call without arguments an empty object, which clients parse', () => {
    const sse = streamed(answerOf(callBlock(0, 'f'), 'tool-calls'));
    expect(finalOf(sse).output).toMatchObject([{ type: 'function_call', arguments: '{}' }]);
    expect(illegal(sse)).toBeNull();
  });

  it("calls the caller's custom tools with free text", () => {
    const call = callBlock(0, 'apply_patch', '{"input":"*** Beg', 'in\\n"}');
    const sse = streamed(answerOf(call, 'tool-calls'), { tools: [patchTool] });
    expect(names(sse)).toContain('custom_tool_call_input.done');
    expect(finalOf(sse).output).toEqual([
      {
        id: expect.stringMatching(/^ctc_/),
        type: 'custom_tool_call',
        status: 'completed',
        call_id: 'call_0',
        name: 'apply_patch',
        input: '*** Begin\n',
      },
    ]);
    expect(illegal(sse)).toBeNull();
  });

  it('gives a custom tool the arguments as they are where the model broke their form', () => {
    const sse = streamed(answerOf(callBlock(0, 'apply_patch', '*** Begin'), 'tool-calls'), { tools: [patchTool] });
    expect(finalOf(sse).output).toMatchObject([{ type: 'custom_tool_call', input: '*** Begin' }]);
  });

  it('ends as incomplete where the model refused without a part that says so', () => {
    const answer = answerOf(textBlock(0, 'I will'), 'refusal');
    const expected = { status: 'incomplete', incomplete_details: { reason: 'content_filter' } };
    expect(finalOf(streamed(answer))).toMatchObject(expected);
    expect(documented(answer)).toMatchObject(expected);
  });

  it('asks the caller for a search of its own, whole', () => {
    const body = { tools: [{ type: 'tool_search', execution: 'client' }] };
    const sse = streamed(answerOf(callBlock(0, 'tool_search', '{"query":', '"x"}'), 'tool-calls'), body);
    expect(names(sse).filter((name) => name.includes('delta'))).toEqual([]);
    expect(finalOf(sse).output).toMatchObject([
      { type: 'tool_search_call', execution: 'client', call_id: 'call_0', arguments: { query: 'x' } },
    ]);
  });

  it('calls a tool of a namespace by both of its names', () => {
    const sse = streamed(answerOf(callBlock(0, 'crm__list_orders', '{}'), 'tool-calls'), { tools: [orders] });
    expect(finalOf(sse).output).toMatchObject([{ type: 'function_call', namespace: 'crm', name: 'list_orders' }]);
  });

  it('repeats what was asked, and says that nothing is kept', () => {
    const asked = {
      instructions: 'Be brief.',
      temperature: 0.3,
      top_p: 0.9,
      max_output_tokens: 99,
      parallel_tool_calls: false,
      tool_choice: 'auto',
      tools: [patchTool],
      text: { format: { type: 'json_object' } },
      metadata: { team: 'a' },
    };
    expect(finalOf(streamed(answerOf(textBlock(0, 'x')), asked))).toMatchObject({
      ...asked,
      model: 'acme/model',
      created_at: 1_700_000_123,
      store: true,
      previous_response_id: null,
      error: null,
      usage: {
        input_tokens: 100,
        input_tokens_details: { cached_tokens: 60, cache_write_tokens: 5 },
        output_tokens: 40,
        output_tokens_details: { reasoning_tokens: 10 },
        total_tokens: 140,
      },
    });
  });

  it.each([
    ['an answer with everything', [...thought, ...textBlock(1, 'a'), ...callBlock(2, 'f', '{}')], 'tool-calls'],
    ['an answer without content', [], 'stop'],
    ['an answer that was cut off', [...textBlock(0, 'a'), ...callBlock(1, 'f', '{"')], 'length'],
    ['a cut-off text', textBlock(0, 'a'), 'length'],
    ['a call of a custom tool', callBlock(0, 'apply_patch', '{"input":"x"}'), 'tool-calls'],
  ] as const)('ends with the same response that a caller without a stream gets: %s', (_, said, reason) => {
    const events = answerOf(said, reason);
    const body = { tools: [patchTool] };
    expect(withoutIds(finalOf(streamed(events, body)))).toEqual(withoutIds(documented(events, body)));
  });
});
