import { GatewayError } from '@tollgate/contracts';
import { countTextTokens } from '../tokens/o200k';
import { anthropicMessagesSurface, countTokensRequest, providerHeaders } from './surface';

const base = { model: 'm', max_tokens: 100, messages: [{ role: 'user', content: 'Hi' }] };
const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'A'.repeat(4_000) } };

function read(members: object, bodyBytes = 1_000) {
  return anthropicMessagesSurface.readRequest({ ...base, ...members }, bodyBytes);
}

describe('the messages surface', () => {
  it('reads what edge must know', () => {
    expect(read({ stream: true, tools: [{ name: 'f' }], output_config: { format: { type: 'json_schema' } } })).toEqual({
      model: 'm',
      stream: true,
      includeUsage: false,
      maxOutputTokens: 100,
      inputTokensEstimate: 1_000,
      mediaTokens: 0,
      needs: ['tools', 'structured output'],
    });
  });

  it('tells which other models Anthropic is to ask for the answer', () => {
    const advisor = { type: 'advisor_20260301', name: 'advisor', model: 'claude-opus-4-8' };
    const named = read({ fallbacks: [{ model: 'claude-opus-5-5' }], tools: [{ name: 'f' }, advisor] });
    expect(named.asksBeside).toEqual(['claude-opus-5-5', 'claude-opus-4-8']);
    expect(read({ fallbacks: 'default', tools: [{ name: 'f', model: 'm' }] })).not.toHaveProperty('asksBeside');
  });

  it('finds media inside tool results, and counts them by estimate and not by their data', () => {
    const pdf = { type: 'document', source: { type: 'url', url: 'https://a.example/a.pdf' } };
    const content = [{ type: 'tool_result', tool_use_id: 't', content: [image] }, pdf];
    const request = read({ messages: [{ role: 'user', content }] }, 5_000);
    expect(request.needs).toEqual([]);
    expect(request.media).toEqual([
      { need: 'images', parts: 1, tokens: 765, isAsked: false },
      { need: 'files', parts: 1, tokens: 0, isAsked: false },
    ]);
    expect(read({ messages: [{ role: 'user', content: [pdf] }] }).needs).toEqual(['files']);
    expect(request.inputTokensEstimate).toBe(5_000 - 4_000 + 765);
  });

  it.each([
    ['model', { model: '' }],
    ['max_tokens', { max_tokens: undefined }],
    ['max_tokens', { max_tokens: 0 }],
    ['max_tokens', { max_tokens: '5' }],
    ['messages', { messages: [] }],
    ['messages[0]', { messages: ['x'] }],
    ['messages[0].role', { messages: [{ role: 'tool', content: 'x' }] }],
    ['messages[0].content', { messages: [{ role: 'user' }] }],
    ['system', { system: 5 }],
    ['temperature', { temperature: 3 }],
    ['top_p', { top_p: -0.1 }],
    ['top_k', { top_k: 1.5 }],
    ['stop_sequences', { stop_sequences: ['a', 1] }],
    ['stream', { stream: 'yes' }],
    ['tools', { tools: {} }],
    ['thinking', { thinking: true }],
  ])('answers 400 naming %s', (name, members) => {
    expect(() => read(members)).toThrow(`'${name}'`);
  });

  describe('of the version 2026-10-21', () => {
    const document = { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'x' } };
    const cited = { type: 'text', text: 'x', citations: [{ type: 'char_location' }] };
    const said = (role: string, block: object) => ({ messages: [{ role, content: [block] }] });
    const found = { type: 'search_result', source: 's', title: 't', content: [cited], citations: { enabled: true } };
    const fetched = { type: 'web_fetch_tool_result', tool_use_id: 't', content: { type: 'w', content: document } };
    const readAt = (members: object, version: string) =>
      anthropicMessagesSurface.readRequest({ ...base, ...members }, 1_000, { 'anthropic-version': version });

    it.each<[string, object]>([
      ['temperature', { temperature: 1 }],
      ['top_p', { top_p: 1 }],
      ['top_k', { top_k: 5 }],
      ['messages[0].content[0]', said('assistant', document)],
      ['messages[0].content[0].citations', said('user', cited)],
      ['messages[0].content[0].content[0].citations', said('user', found)],
    ])('refuses %s, which the version before it takes', (name, members) => {
      expect(() => readAt(members, '2026-10-21')).toThrow(
        `'${name}' is not possible with anthropic-version 2026-10-21`,
      );
      const counted = { ...base, ...members };
      expect(() => countTokensRequest(counted, 1_000, { 'anthropic-version': '2026-10-21' })).toThrow(`'${name}'`);
      expect(() => readAt(members, '2023-06-01')).not.toThrow();
      expect(() => read(members)).not.toThrow();
    });

    it.each<[string, object]>([
      ['what Claude quoted', said('assistant', cited)],
      ['a document of the user', said('user', { ...document, citations: { enabled: true } })],
      ['a page that Claude fetched', said('assistant', fetched)],
      ['a text with an empty list', said('user', { ...cited, citations: [] })],
    ])('takes %s', (_, members) => {
      expect(() => readAt(members, '2026-10-21')).not.toThrow();
    });
  });

  it.each([[null], [[]], ['x']])('answers 400 to the body %j', (body) => {
    expect(() => anthropicMessagesSurface.readRequest(body, 4)).toThrow(GatewayError);
  });

  it("writes errors in Anthropic's shape around the gateway's own", () => {
    const error = new GatewayError(429, 'rate limit exceeded, retry after 3 seconds', 3);
    expect(anthropicMessagesSurface.errorBody(error, 'req_1')).toEqual({
      type: 'error',
      error: { type: 'rate_limit_error', message: 'rate limit exceeded, retry after 3 seconds', code: 429 },
      request_id: 'req_1',
    });
    expect(Buffer.from(anthropicMessagesSurface.streamError(error)).toString()).toMatch(
      /^event: error\ndata: \{"type":"error","error":\{.*\}\}\n\n$/,
    );
  });

  it('counts tokens without asking for max_tokens', () => {
    const { max_tokens: _, ...body } = base;
    expect(countTokensRequest(body, 50).model).toBe('m');
    expect(() => countTokensRequest({ ...body, messages: [] }, 50)).toThrow(/'messages'/);
    expect(anthropicMessagesSurface.countInputTokens(body)).toBe(7);
  });

  it('counts text, tools and media wherever they stand', () => {
    const count = (members: object) => anthropicMessagesSurface.countInputTokens({ ...base, ...members });
    const bare = count({});
    expect(count({ system: 'hello world' })).toBe(bare + 2);
    expect(count({ system: [{ type: 'text', text: 'hello world' }] })).toBe(bare + 2);
    expect(count({ tools: [{ name: 'f', input_schema: {} }] })).toBeGreaterThan(bare + 5);
    const nested = [{ type: 'tool_result', tool_use_id: 't', content: [image] }];
    expect(count({ messages: [...base.messages, { role: 'user', content: nested }] })).toBe(bare + 3 + 765);
  });

  it('counts what a caller was sent, whichever way the bytes were split', () => {
    const event = (value: Record<string, unknown>) =>
      `event: ${String(value.type)}\ndata: ${JSON.stringify(value)}\n\n`;
    const stream = Buffer.from(
      [
        event({ type: 'message_start', message: {} }),
        event({ type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '' } }),
        event({ type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'hello world' } }),
        event({ type: 'content_block_start', index: 1, content_block: { type: 'tool_use', name: 'hello', input: {} } }),
        event({ type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: 'hello' } }),
        'event: ping\ndata: {"type":"ping"}\n\ndata: broken\n\n',
        event({ type: 'content_block_start', index: 2, content_block: { type: 'text', text: '' } }),
        event({ type: 'content_block_delta', index: 2, delta: { type: 'text_delta', text: 'hello wörld' } }),
      ].join(''),
    );
    const counts = new Set<number>();
    for (let cut = 0; cut <= stream.length; cut += 7) {
      const transcript = anthropicMessagesSurface.transcript();
      transcript.push(stream.subarray(0, cut));
      transcript.push(stream.subarray(cut));
      counts.add(transcript.outputTokens());
    }
    const texts = ['hello world', 'hello', 'hello', 'hello wörld'];
    expect([...counts]).toEqual([texts.reduce((sum, text) => sum + countTextTokens(text), 0)]);
  });
});

describe('the headers of a messages request', () => {
  it('pass on what a provider may need, never the key', () => {
    const needed = { 'anthropic-version': '2023-06-01', 'anthropic-beta': 'a,b' };
    expect(providerHeaders({ ...needed, authorization: 'Bearer x', 'x-api-key': 'x', cookie: 'a=b' })).toEqual(needed);
    expect(providerHeaders({})).toEqual({});
  });

  it.each(['latest', '2023-6-1', '2023-13-01', ''])(
    'refuse the version %j with a 400 that names the header',
    (version) => {
      expect(() => providerHeaders({ 'anthropic-version': version })).toThrow("'anthropic-version' must be a date");
    },
  );
});
