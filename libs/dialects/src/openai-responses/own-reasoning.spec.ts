import { carriedText, noSeal } from '../canonical/carried-seal';
import { targetWith } from '../openai-chat/target.fixture';
import { withOwnReasoning } from './own-reasoning';
import { withMarkedSeals } from '../canonical/marked-seals';
import { openaiResponsesToOpenaiResponses } from './translation';

const user = { role: 'user', content: 'x' };
const thought = (sealed: string | undefined, id = 'rs_1') => ({
  id,
  type: 'reasoning',
  summary: [],
  ...(sealed !== undefined && { encrypted_content: sealed }),
});
const call = (id: string) => ({ id, type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' });
const { id: _, ...bareCall } = call('');
const ours = 'a'.repeat(32);
const gemini = carriedText({ dialect: 'gemini', kind: 'signature', value: 'g' }, 'openai-responses');

const openai = { sealer: 'openai', operatorDefined: false, knowsAgents: true };

function sent(input: unknown, sealer = 'openai', operatorDefined = false): unknown {
  const asked = { sealer, operatorDefined, knowsAgents: sealer === 'openai' };
  const body = withOwnReasoning(Buffer.from(JSON.stringify({ model: 'm', input })), asked);
  return (JSON.parse(Buffer.from(body).toString()) as { input: unknown }).input;
}

describe('what goes to a provider of responses from a conversation that was elsewhere', () => {
  it.each([
    ['another dialect', gemini],
    ['no seal at all', noSeal],
    ['another organisation', 'tollgate@azure:gAAAA'],
  ])('is without the reasoning of %s, and without ids that hang on it', (_what, sealed) => {
    expect(sent([user, thought(sealed), call('fc_1'), user])).toEqual([user, bareCall, user]);
  });

  it('keeps what the provider itself has sealed, in the words that it used', () => {
    expect(sent([user, thought('tollgate@openai:gAAAA'), call('fc_1'), thought(gemini), call('fc_2')])).toEqual([
      user,
      thought('gAAAA'),
      call('fc_1'),
      bareCall,
    ]);
  });

  it('keeps what came from nobody known, and loses ids of our making', () => {
    expect(sent([thought('gAAAA'), call(`fc_${ours}`), thought(undefined, `rs_${ours}`), call('fc_2')])).toEqual([
      thought('gAAAA'),
      bareCall,
      bareCall,
    ]);
  });

  it.each([
    ['sh', { type: 'shell_call', call_id: 'c', status: 'completed', action: { commands: ['ls'] } }],
    ['apc', { type: 'apply_patch_call', call_id: 'c', status: 'completed', operation: { type: 'delete_file' } }],
  ])(
    'loses ids (%s_) of tools that the client runs, of our making or behind thoughts that are left out',
    (begin, item) => {
      expect(sent([{ ...item, id: `${begin}_${ours}` }])).toEqual([item]);
      expect(sent([thought(gemini), { ...item, id: `${begin}_1` }])).toEqual([item]);
      expect(sent([thought('gAAAA'), { ...item, id: `${begin}_1` }])).toEqual([
        thought('gAAAA'),
        { ...item, id: `${begin}_1` },
      ]);
    },
  );

  it('loses ids that are none of OpenAI, which refuses them', () => {
    const message = { type: 'message', role: 'user', content: 'x' };
    const reply = { role: 'assistant', content: 'y' };
    const search = { type: 'web_search_call', id: 'ws_1' };
    expect(
      sent([{ ...message, id: 'item_1' }, { ...reply, id: '' }, call('item_2'), search, { ...reply, id: 'msg_1' }]),
    ).toEqual([message, reply, bareCall, search, { ...reply, id: 'msg_1' }]);
    expect(sent([{ ...message, id: 'item_1' }], 'litellm', true)).toEqual([{ ...message, id: 'item_1' }]);
  });

  it.each(['o'.repeat(413), 'a+b/c=='])('loses ids that OpenAI takes of no item (%s)', (rest) => {
    const search = { type: 'web_search_call' };
    const { id: _id, ...bareThought } = thought('gAAAA');
    expect(sent([thought('gAAAA', `rs_${rest}`), call(`fc_${rest}`), { ...search, id: `ws_${rest}` }])).toEqual([
      bareThought,
      bareCall,
      search,
    ]);
    expect(sent([call(`fc_${rest}`)], 'litellm', true)).toEqual([call(`fc_${rest}`)]);
    const reference = { type: 'item_reference', id: `msg_${rest}` };
    expect(sent([reference, call(`fc_${'a'.repeat(61)}`)])).toEqual([reference, call(`fc_${'a'.repeat(61)}`)]);
  });

  it('has ids of calls that are not too long, calls and outputs alike', () => {
    const output = { type: 'function_call_output', call_id: 'c'.repeat(65), output: 'found' };
    const [first, second] = sent([{ ...bareCall, call_id: output.call_id }, output]) as { call_id: string }[];
    expect(first?.call_id).toMatch(/^[0-9a-f]{64}$/);
    expect(second).toEqual({ ...output, call_id: first?.call_id });
    expect(sent([output], 'litellm', true)).toEqual([output]);
    expect(sent([{ ...bareCall, call_id: 'c'.repeat(64) }])).toEqual([{ ...bareCall, call_id: 'c'.repeat(64) }]);
  });

  it('is as it was written but for the items that change, which alone are looked into', () => {
    const picture = `{"role": "user",  "content": [{"type":"input_image","image_url":"data:image/png;base64,${'A'.repeat(100_000)}"}]}`;
    const said = `{ "id" : "msg_${ours}", "role": "assistant", "content": "1.0" , "rank": 1.0}`;
    const body = Buffer.from(`{"input": [${picture} , ${said}], "user": "x"}`);
    const parse = jest.spyOn(JSON, 'parse');
    const copy = jest.spyOn(Buffer.prototype, 'toString');
    const own = withOwnReasoning(body, openai);
    const longest = Math.max(...parse.mock.calls.map(([text]) => text.length));
    const longestCopy = Math.max(...copy.mock.results.map(({ value }) => String(value).length));
    parse.mockRestore();
    copy.mockRestore();
    expect(Buffer.from(own).toString()).toBe(
      `{"input": [${picture},{ "role": "assistant", "content": "1.0" , "rank": 1.0}], "user": "x"}`,
    );
    expect(longest).toBeLessThan(100);
    expect(longestCopy).toBeLessThan(2_000);
  });

  it('may have as many items as a body may have values', () => {
    const items: unknown[] = Array.from({ length: 100_000 }, () => 0);
    const message = { role: 'assistant', content: 'x' };
    expect(sent([{ id: `msg_${ours}`, ...message }, ...items])).toEqual([message, ...items]);
  });

  it('has what agents say to each other as items at OpenAI, and elsewhere as messages that all of them know', () => {
    const header = { type: 'input_text', text: 'Message Type: NEW_TASK' };
    const told = { id: 'amsg_1', type: 'agent_message', author: '/root', recipient: '/root/a' };
    const part = (text: string) => ({ type: 'encrypted_content', encrypted_content: text });
    const open = { ...told, content: [header, part('Look for it.')] };
    const closed = { ...told, content: [header, part('gAAAAABo')] };
    const said = { type: 'input_text', text: 'Look for it.' };
    expect(sent([open, closed])).toEqual([{ ...told, content: [header, said] }, closed]);
    const names = { type: 'input_text', text: '[Message of an agent: /root to /root/a]' };
    const user = { type: 'message', role: 'user' };
    expect(sent([open, closed, { ...told, content: 'Done.' }], 'xai')).toEqual([
      { ...user, content: [names, header, said] },
      { ...user, content: [names, header, { type: 'input_text', text: expect.stringContaining('sealed') as string }] },
      { ...user, content: [names, { type: 'input_text', text: 'Done.' }] },
    ]);
  });

  it('has no content of thoughts where there is none, as Codex says and xAI refuses', () => {
    expect(sent([{ ...thought('gAAAA'), content: null }, call('fc_1')], 'xai')).toEqual([
      thought('gAAAA'),
      call('fc_1'),
    ]);
  });

  it('has what Codex notes of items at OpenAI alone', () => {
    const noted = { ...user, internal_chat_message_metadata_passthrough: { content_item_kinds: [] } };
    expect(sent([noted])).toEqual([noted]);
    expect(sent([noted], 'xai')).toEqual([user]);
  });

  it('is the very same where there is nothing to leave out', () => {
    const body = Buffer.from(JSON.stringify({ input: [user, thought('gAAAA'), call('fc_1')] }));
    expect(withOwnReasoning(body, openai)).toBe(body);
  });

  it.each([
    'pmpt_68a1',
    'conv_68a1',
    'mcpl_68a1',
    'mcpr_68a1',
    'cu_68a1',
    'lsh_68a1',
    'apc_68a1',
    `msg_${'a'.repeat(60)}`,
  ])('is not even walked over for an id as OpenAI gives them (%s)', (id) => {
    const body = Buffer.from(`{"input": [{"id": "${id}"}], but no JSON`);
    expect(withOwnReasoning(body, openai)).toBe(body);
    const other = Buffer.from(`{"input": [{"id": "${id}+"}], but no JSON`);
    expect(() => withOwnReasoning(other, openai)).toThrow('JSON');
  });
});

describe('what comes from a provider of responses', () => {
  it('has its name in front of every seal, and nowhere else', () => {
    const said = JSON.stringify({ text: 'a "encrypted_content":"b', encrypted_content: 'gAAAA', more: null });
    expect(JSON.parse(withMarkedSeals(Buffer.from(said), 'encrypted_content', 'openai').toString())).toEqual({
      text: 'a "encrypted_content":"b',
      encrypted_content: 'tollgate@openai:gAAAA',
      more: null,
    });
    const plain = Buffer.from('{"encrypted_content": null}');
    expect(withMarkedSeals(plain, 'encrypted_content', 'openai')).toBe(plain);
  });

  it.each([true, false])('is marked on its way (stream: %s)', (stream) => {
    const target = targetWith(stream);
    const body = Buffer.from(JSON.stringify({ model: 'm', input: 'x', stream, store: false }));
    const reader = openaiResponsesToOpenaiResponses.prepare(body, target, { includeUsage: false }).answerReader();
    const item = thought('gAAAA');
    const response = { id: 'r', object: 'response', status: 'completed', output: [item], usage: null };
    const events = [
      { type: 'response.created', response: { ...response, output: [] } },
      { type: 'response.output_item.added', output_index: 0, item: thought(undefined) },
      { type: 'response.output_item.done', output_index: 0, item },
      { type: 'response.completed', response },
    ];
    const text = stream
      ? events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('')
      : JSON.stringify(response);
    const shown = Buffer.concat([reader.push(Buffer.from(text)), reader.end()]).toString();
    expect(reader.error).toBeNull();
    expect(shown).toBe(text.replaceAll('"gAAAA"', '"tollgate@acme:gAAAA"'));
  });
});
