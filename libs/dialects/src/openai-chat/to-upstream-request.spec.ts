import fc from 'fast-check';
import { toUpstreamRequest } from './to-upstream-request';
import { translationFor } from '../translations';
import { parseRequestJson } from '../wire/request-json';
import { targetWith } from './target.fixture';

function send(body: string, target = targetWith(false)) {
  const request = toUpstreamRequest(Buffer.from(body), target);
  return { ...request, text: Buffer.concat(request.body).toString('utf8') };
}

const messages = '"messages":[{"role":"user","content":"hi"}]';

it('sends the model’s name at the provider, to the chat completions path, and nothing of the caller’s headers', () => {
  expect(send(`{"model":"acme/large", ${messages}}`)).toMatchObject({
    path: '/chat/completions',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    text: `{"model":"large-2", ${messages}}`,
    warnings: [],
  });
});

it('always asks for usage when it streams, and keeps the caller’s other stream options', () => {
  const target = targetWith(true);
  expect(send(`{"model":"a",${messages},"stream":true}`, target).text).toBe(
    `{"model":"large-2",${messages},"stream":true,"stream_options":{"include_usage":true}}`,
  );
  expect(send('{"model":"a","stream_options":{"include_usage":false, "include_obfuscation":false}}', target).text).toBe(
    '{"model":"large-2","stream_options":{"include_usage":true, "include_obfuscation":false}}',
  );
  expect(send('{"model":"a","stream_options":null}', target).text).toBe(
    '{"model":"large-2","stream_options":{"include_usage":true}}',
  );
});

it('leaves stream options out where the provider refuses them', () => {
  const target = targetWith(true, { streamsUsageUnasked: true });
  expect(send('{"model":"a","stream_options":{"include_usage":true},"stream":true}', target).text).toBe(
    '{"model":"large-2","stream":true}',
  );
});

it.each([
  ['max_completion_tokens', '{"model":"a","max_tokens":5}', '{"model":"large-2","max_completion_tokens":5}'],
  ['max_tokens', '{"model":"a","max_completion_tokens":5}', '{"model":"large-2","max_tokens":5}'],
  ['max_tokens', '{"model":"a","max_tokens":5}', '{"model":"large-2","max_tokens":5}'],
  ['max_tokens', '{"model":"a","max_tokens":5,"max_completion_tokens":6}', '{"model":"large-2","max_tokens":6}'],
  [
    'max_completion_tokens',
    '{"model":"a","max_tokens":5,"max_completion_tokens":6}',
    '{"model":"large-2","max_completion_tokens":6}',
  ],
] as const)('names the output limit %s where the provider wants it so: %s', (maxTokensField, body, expected) => {
  expect(send(body, targetWith(false, { maxTokensField })).text).toBe(expected);
});

describe('thinking that an effort does not turn off', () => {
  const target = (models: string) => targetWith(false, { thinkingSwitch: { models, member: 'thinking' } });

  it.each([
    ['"reasoning_effort":"none"', '"thinking":{"type":"disabled"}'],
    ['"reasoning_effort":"none","thinking":null', '"thinking":{"type":"disabled"}'],
    ['"reasoning_effort":"high"', '"reasoning_effort":"high"'],
    ['"reasoning_effort":"none","thinking":{"type":"enabled"}', '"thinking":{"type":"enabled"}'],
  ])('is turned off by the member that does: %s', (said, told) => {
    const sent = send(`{"model":"a",${said}}`, target('large'));
    expect(sent).toMatchObject({ text: `{"model":"large-2",${told}}`, warnings: [] });
  });

  it.each([
    [
      'anthropic-messages',
      { max_tokens: 9, messages: [{ role: 'user', content: 'hi' }], thinking: { type: 'disabled' } },
    ],
    ['openai-responses', { input: 'hi', reasoning: { effort: 'none' } }],
  ] as const)('is turned off for a caller of %s', (surface, said) => {
    const place = targetWith(false, { thinkingSwitch: { models: '.', member: 'enable_thinking' } });
    place.model.capabilities.reasoning = true;
    const body = Buffer.from(JSON.stringify({ model: 'a', ...said }));
    const sent = translationFor(surface, 'openai-chat')?.prepare(body, place, { includeUsage: false }).request;
    const told = parseRequestJson(Buffer.concat(sent?.body ?? []));
    expect([told, sent?.warnings]).toMatchObject([{ enable_thinking: false }, []]);
    expect(told).not.toHaveProperty('reasoning_effort');
  });

  it.each([
    ['"reasoning_effort":"none"', '"reasoning":{"enabled":false}'],
    ['"reasoning_effort":"none","reasoning":null', '"reasoning":{"enabled":false}'],
    ['"reasoning_effort":"none","reasoning":{}', '"reasoning":{"enabled":false}'],
    ['"reasoning_effort":"none","reasoning":{"exclude":true}', '"reasoning":{"exclude":true,"enabled":false}'],
    ['"reasoning_effort":"none","reasoning":{"enabled":null}', '"reasoning":{"enabled":false}'],
    ['"reasoning_effort":"none","reasoning":{"enabled":true}', '"reasoning":{"enabled":true}'],
    ['"reasoning":{"effort":"none"}', '"reasoning":{"effort":"none","enabled":false}'],
    ['"thinking":{"type":"disabled"}', '"reasoning":{"enabled":false}'],
    ['"thinking":{"type":"disabled"},"reasoning":{"exclude":true}', '"reasoning":{"exclude":true,"enabled":false}'],
    ['"reasoning_effort":null,"thinking":{"type":"disabled"}', '"reasoning":{"enabled":false}'],
    // What says otherwise passes as it came.
    ['"reasoning":{"enabled" : false}', '"reasoning":{"enabled" : false}'],
    ['"reasoning":{"effort":"none","enabled":true}', '"reasoning":{"effort":"none","enabled":true}'],
    [
      '"reasoning_effort":"low","thinking":{"type":"disabled"}',
      '"reasoning_effort":"low","thinking":{"type":"disabled"}',
    ],
    ['"reasoning_effort":"low","reasoning":{"exclude":true}', '"reasoning_effort":"low","reasoning":{"exclude":true}'],
    ['"thinking":{"type":"enabled"}', '"thinking":{"type":"enabled"}'],
  ])('is turned off as at Together, in words of others, too: %s', (said, told) => {
    const place = targetWith(false, { thinkingSwitch: { models: '.', member: 'reasoning' } });
    expect(send(`{"model":"a",${said}}`, place)).toMatchObject({ text: `{"model":"large-2",${told}}`, warnings: [] });
  });

  it.each(['"reasoning_effort":"none"', '"reasoning":{"effort":"none"}', '"thinking":{"type":"disabled"}'])(
    'is left to models that the rule does not name: %s',
    (body) => {
      for (const member of ['thinking', 'reasoning'] as const) {
        const place = targetWith(false, { thinkingSwitch: { models: '^small', member } });
        expect(send(`{"model":"a",${body}}`, place).text).toBe(`{"model":"large-2",${body}}`);
      }
    },
  );

  it('is told to a server that refuses another word for it', () => {
    const quirks = { chatDropFields: ['thinking'], thinkingSwitch: { models: '.', member: 'reasoning' as const } };
    const place = targetWith(false, quirks);
    place.model.capabilities.reasoning = true;
    expect(send('{"model":"a","thinking":{"type":"disabled"},"reasoning":{"exclude":true}}', place)).toMatchObject({
      text: '{"model":"large-2","reasoning":{"exclude":true,"enabled":false}}',
      warnings: [],
    });
  });
});

it('switches thinking on where a model takes no degree of it, and says so', () => {
  const target = targetWith(false);
  target.model.reasoningEfforts = ['none', 'default'];
  const { text, warnings } = send('{"model":"a","reasoning_effort":"high"}', target);
  expect(text).toBe('{"model":"large-2","reasoning_effort":"default"}');
  expect(warnings).toEqual(["reasoning effort 'high' became 'default': this model knows none, default"]);
  for (const effort of ['"none"', '"default"', 'null'])
    expect(send(`{"model":"a","reasoning_effort":${effort}}`, target)).toMatchObject({
      text: `{"model":"large-2","reasoning_effort":${effort}}`,
      warnings: [],
    });
});

it('drops what the provider refuses and says so', () => {
  const { text, warnings } = send(
    '{"model":"a","seed":1,"user":"u"}',
    targetWith(false, { dropFields: ['seed', 'logit_bias'] }),
  );
  expect(text).toBe('{"model":"large-2","user":"u"}');
  expect(warnings).toEqual(['seed was dropped: Acme does not take it']);
});

it('takes what is null for what is not said: it is left out where the provider refuses it, and told to nobody', () => {
  const body = '{"model":"a","logprobs":null,"stop":null,"seed":null,"top_logprobs":2}';
  expect(send(body, targetWith(false, { dropFields: ['seed'], refusesNull: true }))).toMatchObject({
    text: '{"model":"large-2","top_logprobs":2}',
    warnings: [],
  });
  expect(send(body, targetWith(false, { dropFields: ['seed'] }))).toMatchObject({
    text: '{"model":"large-2","logprobs":null,"stop":null,"top_logprobs":2}',
    warnings: [],
  });
  const twice = '{"logprobs":null,"model":"a","logprobs":true,"stream_options":null}';
  expect(send(twice, targetWith(true, { refusesNull: true })).text).toBe(
    '{"logprobs":null,"model":"large-2","logprobs":true,"stream_options":{"include_usage":true}}',
  );
});

it.each([
  ['max_completion_tokens', '{"model":"a","max_completion_tokens":null,"max_tokens":5}'],
  ['max_completion_tokens', '{"model":"a","max_tokens":null,"max_completion_tokens":5}'],
  ['max_tokens', '{"model":"a","max_completion_tokens":null,"max_tokens":5}'],
  ['max_tokens', '{"model":"a","max_completion_tokens":5,"max_tokens":null}'],
] as const)('keeps the limit of the output as %s beside one that is null: %s', (maxTokensField, body) => {
  expect(send(body, targetWith(false, { maxTokensField })).text).toBe(`{"model":"large-2","${maxTokensField}":5}`);
});

it('drops what the provider refuses of models that reason, and of no other', () => {
  const plain = targetWith(false, { reasonersRefuse: ['stop'] });
  const body = '{"model":"a","stop":["b"]}';
  expect(send(body, plain).text).toContain('"stop"');
  const { model } = plain;
  const reasoning = { ...plain, model: { ...model, capabilities: { ...model.capabilities, reasoning: true } } };
  expect(send(body, reasoning)).toMatchObject({
    text: '{"model":"large-2"}',
    warnings: ['stop was dropped: Acme does not take it'],
  });
});

it('sends of duplicates only the one that was validated', () => {
  const { text } = send('{"temperature":9,"model":"a","stream":true,"temperature":1,"stream":false,"model":"b"}');
  expect(text).toBe('{"temperature":1,"stream":false,"model":"large-2"}');
});

it('strips a byte order mark', () => expect(send('\ufeff{"model":"a"}').text).toBe('{"model":"large-2"}'));

it('lets everything that the gateway does not own survive byte for byte', () => {
  const owned = [
    'model',
    'messages',
    'stream',
    'stream_options',
    'max_tokens',
    'max_completion_tokens',
    'temperature',
    'top_p',
    'stop',
    'n',
  ];
  const name = fc.string().filter((text) => !owned.includes(text));
  const value = fc.oneof(
    fc.json({ maxDepth: 3 }),
    fc.constantFrom('98765432109876543210', '1.10', '1e400', '-0', '"\\u00e9\\/"'),
  );
  const space = fc.constantFrom('', ' ', '\n  ', '\t');
  fc.assert(
    fc.property(fc.array(fc.tuple(name, value, space)), space, (fields, gap) => {
      const rest = fields.map(([field, json, white]) => `${white}${JSON.stringify(field)}${white}:${json}${white}`);
      const body = (model: string) => `{${[`${gap}"model"${gap}:${gap}"${model}"${gap}`, ...rest].join(',')}}`;
      const expected = body('large-2').replace(/^\{(\s*)"model"/, '{$1"model"');
      expect(send(body('acme/large')).text).toBe(expected);
    }),
    { numRuns: 500 },
  );
});

it.each([
  ['{"model":"a","max_tokens":9000,"n":1}', '{"model":"large-2","max_completion_tokens":4000,"n":1}'],
  ['{"model":"a","max_completion_tokens":9e3}', '{"model":"large-2","max_completion_tokens":4000}'],
])('lowers a limit above what the model can write: %s', (body, sent) => {
  const { model, ...rest } = targetWith(false, { maxTokensField: 'max_completion_tokens' });
  const { text, warnings } = send(body, { ...rest, model: { ...model, maxOutputTokens: 4_000 } });
  expect(text).toBe(sent);
  expect(warnings).toEqual(['the output limit of 9000 tokens became 4000: this model writes no more']);
});

it('lowers a limit to what the input leaves of a context that both share, where no other limit is told', () => {
  const { model, ...rest } = targetWith(false, { maxTokensField: 'max_tokens' });
  const target = { ...rest, model: { ...model, maxOutputTokens: null, contextWindow: 1_000, sharedContext: true } };
  const ask = (limit: number): number => {
    const { text } = send(`{"model":"a",${messages},"max_tokens":${limit}}`, target);
    return (JSON.parse(text) as { max_tokens: number }).max_tokens;
  };
  expect(ask(500)).toBe(500);
  expect(ask(64_000)).toBeGreaterThan(650);
  expect(ask(64_000)).toBeLessThan(750);
});

it.each([
  ['names the conversation in the header that leads to its cache', '"c-1"', { 'x-grok-conv-id': 'c-1' }],
  ['names none that a header cannot say', '"ünï\\n"', {}],
  ['names none that is no text', '7', {}],
])('%s', (_, key, headers) => {
  const body = Buffer.from(`{"model":"a","prompt_cache_key":${key}}`);
  const target = targetWith(false);
  const quirks = { ...target.provider.quirks, conversationHeader: 'x-grok-conv-id' };
  const upstream = toUpstreamRequest(body, { ...target, provider: { ...target.provider, quirks } });
  const { 'content-type': _type, accept: _accept, ...others } = upstream.headers;
  expect(others).toEqual(headers);
  expect(Object.keys(toUpstreamRequest(body, target).headers)).toEqual(['content-type', 'accept']);
});
