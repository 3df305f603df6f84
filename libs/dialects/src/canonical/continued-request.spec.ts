import type { GenerationSurface, SurfaceName } from '@tollgate/contracts';
import { canGoOn, continuedRequest } from './continued-request';

const bytes = (body: object): Buffer => Buffer.from(JSON.stringify(body));

function goneOn(
  surface: SurfaceName,
  body: object,
  text = 'The gate',
  outputTokens = 100,
): Record<string, unknown> | null {
  const request = continuedRequest(surface, bytes(body), text, outputTokens);
  return request && (JSON.parse(Buffer.from(request).toString()) as Record<string, unknown>);
}

const order = { role: 'user', content: expect.stringMatching(/go on exactly/i) };

describe('continuedRequest', () => {
  it.each<[GenerationSurface, string]>([
    ['openai-chat', 'messages'],
    ['anthropic-messages', 'messages'],
    ['openai-responses', 'input'],
  ])('has %s go on behind the conversation', (surface, turns) => {
    const asked = { role: 'user', content: 'Tell me of the gate.' };
    const text = { role: 'assistant', content: 'The gate' };
    expect(goneOn(surface, { model: 'm', [turns]: [asked] })?.[turns]).toEqual([asked, text, order]);
    expect(goneOn(surface, { model: 'm', [turns]: [] })?.[turns]).toEqual([text, order]);
  });

  it('puts a text of responses into a message', () => {
    expect(goneOn('openai-responses', { model: 'm', input: 'Tell "me".' })?.input).toEqual([
      { role: 'user', content: 'Tell "me".' },
      { role: 'assistant', content: 'The gate' },
      order,
    ]);
  });

  it('leaves every other byte as it was', () => {
    const source =
      '{ "model": "m", "seed": 12345678901234567890, "messages": [ {"role":"user","content":"\\u00e4"} ] }';
    const request = Buffer.from(continuedRequest('openai-chat', Buffer.from(source), 'So', 1) ?? []).toString();
    expect(request).toContain(
      '{ "model": "m", "seed": 12345678901234567890, "messages": [ {"role":"user","content":"\\u00e4"} ,{',
    );
  });

  it('asks anew where there is no text yet: whitespace alone is refused as a message', () => {
    const messages = [{ role: 'user', content: 'Hi' }];
    expect(goneOn('openai-chat', { model: 'm', messages }, ' \n')?.messages).toEqual(messages);
  });

  it.each<[GenerationSurface, object, object]>([
    ['openai-chat', { max_tokens: 500 }, { max_tokens: 400 }],
    ['openai-chat', { max_completion_tokens: 500 }, { max_completion_tokens: 400 }],
    ['anthropic-messages', { max_tokens: 500 }, { max_tokens: 400 }],
    ['openai-responses', { max_output_tokens: 500 }, { max_output_tokens: 400 }],
  ])('takes what was generated off the limit of %s', (surface, limit, left) => {
    expect(goneOn(surface, { model: 'm', messages: [], input: [], ...limit })).toMatchObject(left);
  });

  it.each<[string, GenerationSurface, object]>([
    ['less than a provider takes is left', 'openai-responses', { input: [], max_output_tokens: 110 }],
    [
      'thoughts would have no room',
      'anthropic-messages',
      { messages: [], max_tokens: 1_200, thinking: { budget_tokens: 1_100 } },
    ],
  ])('is none where %s', (_why, surface, body) => expect(goneOn(surface, body)).toBeNull());
});

describe('canGoOn', () => {
  const tool = { type: 'function', function: { name: 'f' } };
  it.each<[boolean, string, SurfaceName, object]>([
    [true, 'a plain request', 'openai-chat', { messages: [] }],
    [true, "the caller's own tools", 'openai-chat', { tools: [tool] }],
    [true, 'tools of messages, which have no type', 'anthropic-messages', { tools: [{ name: 'f', input_schema: {} }] }],
    [true, 'one choice', 'openai-chat', { n: 1 }],
    [true, 'plain text', 'openai-responses', { text: { format: { type: 'text' } } }],
    [false, 'two choices', 'openai-chat', { n: 2 }],
    [false, 'a form', 'openai-chat', { response_format: { type: 'json_schema' } }],
    [false, 'a form', 'openai-responses', { text: { format: { type: 'json_schema' } } }],
    [false, 'a form', 'anthropic-messages', { output_config: { format: { type: 'json_schema' } } }],
    [false, 'a search by the provider', 'openai-responses', { tools: [{ type: 'web_search' }] }],
    [false, 'a search by the provider', 'openai-chat', { web_search_options: {} }],
    [
      false,
      'a search by the provider',
      'anthropic-messages',
      { tools: [{ type: 'web_search_20250305', name: 'web_search' }] },
    ],
    [false, 'spoken answers', 'openai-chat', { audio: { voice: 'alloy' } }],
    [false, 'vectors', 'openai-embeddings', {}],
  ])('is %s of %s (%s)', (can, _what, surface, body) => expect(canGoOn(surface, bytes(body))).toBe(can));
});
