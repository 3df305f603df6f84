import { dialectNames } from '@tollgate/contracts';
import type { DialectName, GenerationSurface } from '@tollgate/contracts';
import { surfaces } from '@tollgate/dialects/surface';
import { callers } from '@tollgate/testing';
import { TranslatedCalls } from './translated-calls.fixture';
import type { Place } from './translated-calls.fixture';

let calls: TranslatedCalls;
beforeAll(async () => {
  calls = await TranslatedCalls.start();
});
afterAll(() => calls.close());

async function generate(
  surface: GenerationSurface,
  dialect: DialectName,
  body: Record<string, unknown>,
): Promise<string> {
  const { attempt, answer, received, sent } = await calls.send(surface, { dialect }, body);
  if (answer.status !== 200) throw new Error(`${answer.status} ${Buffer.from(received).toString()} for ${sent}`);
  const reader = attempt.answerReader();
  const text = Buffer.concat([reader.push(received), reader.end()]).toString();
  expect(reader.error).toBeNull();
  expect(reader).toMatchObject({ state: 'complete', usage: { output: expect.any(Number) as number } });
  return text;
}

const pairs = callers.flatMap((caller) => dialectNames.map((dialect) => [caller.surface, dialect, caller] as const));

describe.each(pairs)('%s to %s', (surface, dialect, caller) => {
  it.each([false, true])('answers with text (stream: %s)', async (stream) => {
    const answer = caller.read(await generate(surface, dialect, caller.ask('hello there', { stream })), stream);
    expect(answer.text).toMatch(/^The sandbox heard hello there and answers/);
    expect(answer.calls).toEqual([]);
  });

  it.each([false, true])('goes through a loop of five tool calls with its reasoning (stream: %s)', async (stream) => {
    let body = caller.ask('[[sandbox: calls=5]] work', { stream, tools: ['look_up', 'add'], reasons: true });
    for (let round = 0; round < 5; round++) {
      const answer = caller.read(await generate(surface, dialect, body), stream);
      expect(answer.calls).toMatchObject([{ name: 'look_up' }]);
      body = caller.goOn(body, answer, (call) => `result ${round} of ${call.name}`);
    }
    const last = caller.read(await generate(surface, dialect, body), stream);
    expect(last.text).toBe('The tools said: result 4 of look_up');
  });

  it.each([false, true])('calls tools by names that providers refuse (stream: %s)', async (stream) => {
    for (const name of [`mcp__${'server'.repeat(18)}__read`, 'files.read/all']) {
      const body = caller.ask('[[sandbox: calls=1]] work', { stream, tools: [name] });
      const answer = caller.read(await generate(surface, dialect, body), stream);
      expect(answer.calls.map((call) => call.name)).toEqual([name]);
      const last = await generate(
        surface,
        dialect,
        caller.goOn(body, answer, () => 'done'),
      );
      expect(caller.read(last, stream).text).toBe('The tools said: done');
    }
  });

  it('calls two tools at once', async () => {
    const body = caller.ask('use look_up and add', { stream: true, tools: ['look_up', 'add'] });
    const answer = caller.read(await generate(surface, dialect, body), true);
    expect(answer.calls.map(({ name }) => name)).toEqual(['look_up', 'add']);
    for (const { arguments: text } of answer.calls) expect(JSON.parse(text)).toEqual({ what: 'example' });
    const next = caller.goOn(body, answer, ({ name }) => `${name}!`);
    const last = caller.read(await generate(surface, dialect, next), true);
    expect(last.text).toBe('The tools said: look_up! and add!');
  });

  it.each([false, true])('answers by a schema (stream: %s)', async (stream) => {
    const body = caller.ask('fill the form', { stream, schema: true });
    const answer = caller.read(await generate(surface, dialect, body), stream);
    expect(JSON.parse(answer.text)).toEqual({ city: 'example', size: 7 });
  });

  it.each(['truncate', 'malformed', 'error_first', 'error_mid', 'empty'])(
    'fails visibly, and shows no end, when the provider breaks its stream: %s',
    async (fault) => {
      const body = caller.ask(`[[sandbox: fault=${fault}]] hello`, { stream: true });
      const { attempt, received } = await calls.send(surface, { dialect }, body);
      const reader = attempt.answerReader();
      const shown = Buffer.concat([reader.push(received), reader.end()]).toString();
      expect(reader).toMatchObject({ state: 'failed', error: { fault: 'retryable' } });
      expect(shown).not.toMatch(/\[DONE\]|message_stop|response\.completed/);
    },
  );

  it.each([false, true])(
    'is cut as one that reached its limit where a provider ignores that (stream: %s)',
    async (stream) => {
      const body = caller.ask('[[sandbox: fault=ignore_limit tokens=4000]] hello', { stream });
      const { attempt, received } = await calls.send(surface, { dialect }, body, { maxOutputTokens: 32 });
      const reader = attempt.answerReader();
      const shown = Buffer.concat([reader.push(received), reader.end()]).toString();
      expect(reader).toMatchObject({ error: null, state: 'complete', isCut: true });
      // 1,280 are let through; it is counted anew when it is a quarter longer, and cut after the piece
      // at hand.
      expect(reader.usage?.output).toBeGreaterThan(1_200);
      expect(reader.usage?.output).toBeLessThan(1_750);
      const { text } = caller.read(shown, stream);
      expect(text).toMatch(/^The sandbox heard hello and answers/);
      expect(text.split(' ').length).toBeLessThan(1_750);
      expect(shown).toMatch(/"finish_reason":"length"|"stop_reason":"max_tokens"|"reason":"max_output_tokens"/);
      expect(shown).not.toMatch(/"finish_reason":"stop"|"stop_reason":"end_turn"|response\.completed/);
    },
  );

  it.each([
    [400, 'caller', null],
    [401, 'ours', null],
    [429, 'retryable', 7],
    [500, 'retryable', null],
    [503, 'retryable', 7],
  ])('tells whose fault the status %d is', async (status, fault, retryAfterS) => {
    const controls = `fault=${status}${retryAfterS === null ? '' : ` retry_after=${retryAfterS}`}`;
    const { translation, answer, received } = await calls.send(
      surface,
      { dialect },
      caller.ask(`[[sandbox: ${controls}]] hello`, { stream: false }),
    );
    expect(answer.status).toBe(status);
    const headers = Object.fromEntries(answer.headers);
    expect(translation.readError(status, headers, received, 'P', Date.now())).toMatchObject({ fault, retryAfterS });
  });
});

describe.each(dialectNames)('a chat completion on a model of %s', (dialect) => {
  // https://github.com/home-assistant/core/issues/167208
  it.each(['image/jpg', 'image/png'])('shows a photo that is said to be %s', async (type) => {
    const image = { type: 'image_url', image_url: { url: `data:${type};base64,/9j/4AAQSkZJRgABAQAAAQABAAA=` } };
    const messages = [{ role: 'user', content: [{ type: 'text', text: 'hello' }, image] }];
    expect(await generate('openai-chat', dialect, { model: 'm', messages })).toContain('hello');
  });

  // https://github.com/Wei-Shaw/sub2api/pull/3337
  it('is answered in JSON where its system message alone says the word', async () => {
    const messages = [
      { role: 'system', content: 'Answer in JSON.' },
      { role: 'user', content: 'hello' },
    ];
    const body = { model: 'm', messages, response_format: { type: 'json_object' } };
    expect(await generate('openai-chat', dialect, body)).toContain('"finish_reason":"stop"');
  });
});

// https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html (malformed_model_output)
// https://ai.google.dev/api/generate-content#FinishReason (OTHER)
describe.each(callers)('an answer that says itself that it is none (surface: $surface)', ({ surface, ask }) => {
  it.each([
    ['bedrock-converse', false],
    ['bedrock-converse', true],
    ['gemini', false],
    ['gemini', true],
  ] as const)('fails visibly, and shows no end (%s, stream: %s)', async (dialect, stream) => {
    const body = ask('[[sandbox: finish=broken]] hello', { stream });
    const { attempt, answer, received } = await calls.send(surface, { dialect }, body);
    const reader = attempt.answerReader();
    const shown = Buffer.concat([reader.push(received), reader.end()]).toString();
    expect({ status: answer.status, state: reader.state, fault: reader.error?.fault }).toEqual({
      status: 200,
      state: 'failed',
      fault: 'retryable',
    });
    expect(shown).not.toMatch(/\[DONE\]|message_stop|response\.completed/);
  });
});

// https://github.com/icebear0828/codex-proxy/pull/708 https://github.com/archestra-ai/archestra/pull/7375
it.each<Place>([
  ...dialectNames.map((dialect) => ({ dialect })),
  { dialect: 'openai-chat', model: 'gpt-5.1', provider: 'openai', quirks: { customTools: '.' } },
])('a tool of free text is called and answered as Cursor has it ($dialect, $model)', async (place) => {
  interface Call {
    id: string;
    type: string;
    function: { name: string; arguments: string };
  }
  const tools = [{ type: 'custom', name: 'ApplyPatch', description: 'Edits files.', format: { type: 'text' } }];
  const asked = [{ role: 'user', content: 'use ApplyPatch' }];
  const ask = async (messages: object[]) => {
    const body = { model: 'm', messages, tools };
    const own = surfaces.find(({ name }) => name === 'openai-chat')?.inOwnForm?.(body);
    const answer = await calls.fetchFor('openai-chat', place)('', { body: JSON.stringify(own) });
    const { choices } = (await answer.json()) as { choices: { message: { content: string; tool_calls?: Call[] } }[] };
    return choices[0]?.message;
  };
  const [call] = (await ask(asked))?.tool_calls ?? [];
  expect(call).toMatchObject({ type: 'function', function: { name: 'ApplyPatch' } });
  expect(call?.function.arguments).not.toContain('"input"');
  const said = { role: 'assistant', content: [], tool_calls: [call] };
  const last = await ask([...asked, said, { role: 'tool', tool_call_id: call?.id, content: 'done' }]);
  expect(last?.content).toBe('The tools said: done');
});

describe.each(callers)("a conversation that comes to Mistral's models (surface: $surface)", (caller) => {
  const mistral: Place = {
    dialect: 'openai-chat',
    model: 'mistral-large-2512',
    quirks: {
      maxTokensField: 'max_tokens',
      streamsUsageUnasked: true,
      mistralTurns: '.',
      systemForDeveloper: '.',
      reasoningField: null,
      dropMessageFields: ['reasoning_content', 'name', 'refusal', 'annotations', 'extra_content'],
    },
  };
  const answerOf = async (place: Place, body: Record<string, unknown>) => {
    const { attempt, answer, received, sent } = await calls.send(caller.surface, place, body);
    if (answer.status !== 200) throw new Error(`${answer.status} ${Buffer.from(received).toString()} for ${sent}`);
    const reader = attempt.answerReader();
    return caller.read(Buffer.concat([reader.push(received), reader.end()]).toString(), true);
  };

  it.each(dialectNames)('brings the calls of a model of %s, and goes on with its own', async (dialect) => {
    const body = caller.ask('use look_up and add [[sandbox: calls=2]]', { stream: true, tools: ['look_up', 'add'] });
    const next = caller.goOn(body, await answerOf({ dialect }, body), ({ name }) => `${name}!`);
    const called = await answerOf(mistral, next);
    expect(called.calls.map(({ name }) => name)).toEqual(['look_up', 'add']);
    const last = await answerOf(
      mistral,
      caller.goOn(next, called, ({ name }) => `${name}?`),
    );
    expect(last.text).toBe('The tools said: look_up? and add?');
  });
});

it.each([
  ['of the user', { role: 'user', content: 'and then?' }],
  ['of the developer', { role: 'developer', content: 'be brief' }],
])('has a message %s behind the results of tools taken by Mistral and others', async (_, message) => {
  const called = { id: 'toolu_01A09q90qw90lq917835lq9', type: 'function', function: { name: 'f', arguments: '{}' } };
  const said = [
    { role: 'developer', content: 'work' },
    { role: 'user', content: 'x' },
    { role: 'assistant', content: null, tool_calls: [called] },
    { role: 'tool', tool_call_id: called.id, content: 'r' },
  ];
  const models = ['mistral-small-2603', 'deepseek-v4-pro', 'kimi-k3', 'glm-5.2', 'qwen3.8-max'];
  for (const model of models) {
    const quirks = { systemForDeveloper: '.', ...(model.startsWith('mistral') && { mistralTurns: '.' }) };
    const body = { model, messages: [...said, message] };
    const thinks = model.startsWith('mistral') ? {} : { thinking: { type: 'disabled' } };
    const sent = await calls.send('openai-chat', { dialect: 'openai-chat', model, quirks }, { ...body, ...thinks });
    expect({ model, text: Buffer.from(sent.received).toString(), status: sent.answer.status }).toMatchObject({
      status: 200,
    });
  }
});

it.each(dialectNames)("goes on with a tool that Claude Code's own search has found (%s)", async (dialect) => {
  const search = { type: 'tool_use', id: 'toolu_1', name: 'ToolSearch', input: { query: 'look' } };
  const found = { type: 'tool_reference', tool_name: 'look_up' };
  const schema = { type: 'object', properties: {} };
  const body = {
    model: 'm',
    max_tokens: 200,
    tools: [
      { name: 'ToolSearch', input_schema: schema },
      { name: 'look_up', input_schema: schema, defer_loading: true },
    ],
    messages: [
      { role: 'user', content: 'work' },
      { role: 'assistant', content: [search] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: [found] }] },
    ],
  };
  const text = await generate('anthropic-messages', dialect, body);
  if (dialect !== 'anthropic-messages') expect(text).toContain('The tool look_up can be called now.');
});

it.each(dialectNames)("hears what Codex's agents say to each other (%s)", async (dialect) => {
  const task = { type: 'encrypted_content', encrypted_content: 'look for it' };
  const input = [{ type: 'agent_message', author: '/root', recipient: '/root/a', content: [task] }];
  expect(await generate('openai-responses', dialect, { model: 'm', input, store: false })).toContain('look for it');
});

it('goes on behind an answer that was cancelled when it had only thought', async () => {
  const thought = { type: 'thinking', thinking: 'Hm.', signature: '' };
  const messages = [
    { role: 'user', content: 'hello there' },
    { role: 'assistant', content: [thought] },
    { role: 'user', content: 'and then?' },
  ];
  expect(await generate('anthropic-messages', 'openai-chat', { model: 'm', max_tokens: 80, messages })).toMatch(
    /and then/,
  );
});

const all = ['low', 'medium', 'high', 'xhigh', 'max'];
const newest: readonly (Place & { model: string })[] = [
  ...['claude-fable-5-2', 'claude-opus-5-5', 'claude-sonnet-5-5', 'claude-haiku-5-5', 'claude-opus-5'].map((model) => ({
    dialect: 'anthropic-messages' as const,
    model,
    efforts: all,
    temperature: false,
  })),
  { dialect: 'openai-responses', model: 'gpt-6.2-sol', efforts: all, temperature: false },
  { dialect: 'openai-responses', model: 'gpt-6-luna', efforts: ['none', ...all], temperature: false },
  { dialect: 'gemini', model: 'gemini-4-argon', efforts: ['low', 'medium', 'high'], temperature: false },
  { dialect: 'gemini', model: 'gemini-3.8-flash', efforts: ['low', 'medium', 'high'], temperature: false },
];
describe.each([
  { dialect: 'openai-chat', ask: { messages: [{ role: 'user', content: 'hi' }] }, rest: { reasoning_effort: 'none' } },
  { dialect: 'openai-responses', ask: { input: 'hi' }, rest: { reasoning: { effort: 'none' } } },
] as const)('a caller of $dialect at a model of OpenAI that reasons', ({ dialect, ask, rest }) => {
  const place: Place = { dialect, model: 'gpt-6-luna', temperature: false };
  const logprobs = dialect === 'openai-chat' ? { logprobs: true, top_logprobs: 2 } : { top_logprobs: 2 };

  it('does without sampling, which it is told, and keeps it where the model is not to reason', async () => {
    const sampling = { temperature: 0.2, top_p: 0.5 };
    const reasoned = await calls.send(dialect, place, { model: 'm', ...ask, ...sampling });
    expect(reasoned.answer.status).toBe(200);
    expect(reasoned.attempt.request.warnings).toEqual([
      'temperature was dropped: P does not take it',
      'top_p was dropped: P does not take it',
    ]);
    const rested = await calls.send(dialect, place, { model: 'm', ...ask, ...rest, ...sampling });
    expect([rested.answer.status, JSON.parse(rested.sent)]).toEqual([200, expect.objectContaining(sampling)]);
  });

  it('is refused log probabilities in the words of OpenAI, but where the model is not to reason', async () => {
    const reasoned = await calls.send(dialect, place, { model: 'm', ...ask, ...logprobs });
    expect(reasoned.answer.status).toBe(400);
    expect(Buffer.from(reasoned.received).toString()).toContain("logprobs' is not supported with this model.");
    const rested = await calls.send(dialect, place, { model: 'm', ...ask, ...rest, ...logprobs });
    expect(rested.answer.status).toBe(200);
  });
});

const foreign = callers.flatMap((caller) =>
  newest
    .filter(({ dialect }) => dialect !== caller.surface)
    .map((place) => [caller.surface, place.model, caller, place] as const),
);

describe.each(foreign)('%s to %s', (surface, _model, caller, place) => {
  const ask = async (body: Record<string, unknown>) => {
    const { attempt, answer, received, sent } = await calls.send(surface, place, body);
    if (answer.status !== 200) throw new Error(`${answer.status} ${Buffer.from(received).toString()} for ${sent}`);
    const reader = attempt.answerReader();
    const text = Buffer.concat([reader.push(received), reader.end()]).toString();
    return { ...caller.read(text, false), warnings: attempt.request.warnings };
  };

  it('is asked for what other models take: sampling, no reasoning, a tool that must be called', async () => {
    const forced = {
      'openai-chat': { tool_choice: 'required', reasoning_effort: 'none', temperature: 0.2 },
      'anthropic-messages': { tool_choice: { type: 'any' }, thinking: { type: 'disabled' }, top_k: 4 },
      'openai-responses': { tool_choice: 'required', reasoning: { effort: 'none' }, top_p: 0.5 },
    }[caller.surface];
    const { warnings } = await ask({ ...caller.ask('use look_up', { stream: false, tools: ['look_up'] }), ...forced });
    // A model that may go without reasoning takes sampling then.
    const takesAll = caller.surface === 'openai-chat' && place.efforts?.includes('none') === true;
    expect(warnings.join().includes('dropped')).toBe(!takesAll);
  });

  it('goes on with a conversation whose instructions changed', async () => {
    const body = caller.ask('[[sandbox: calls=1]] work', { stream: false, tools: ['look_up'], reasons: true });
    const called = await ask(body);
    const next = caller.goOn(body, called, ({ name }) => `${name}!`);
    const changed = JSON.parse(JSON.stringify(next).replace('Be brief.', 'Be long.')) as Record<string, unknown>;
    expect((await ask(changed)).text).toBe('The tools said: look_up!');
  });

  it('answers by a schema', async () => {
    const { text } = await ask(caller.ask('fill the form', { stream: false, schema: true }));
    expect(JSON.parse(text)).toEqual({ city: 'example', size: 7 });
  });
});

// https://github.com/zeroclaw-labs/zeroclaw/issues/2693
it('what is null in a chat completion is not said to Mistral, whose schema has not all of it', async () => {
  const quirks = { refusesNull: true, maxTokensField: 'max_tokens' as const };
  const place = { dialect: 'openai-chat' as const, model: 'mistral-small-2603', quirks };
  const said = { model: 'm', messages: [{ role: 'user', content: 'hi' }], max_tokens: 9 };
  const unsaid = { logprobs: null, top_logprobs: null, logit_bias: null, max_completion_tokens: null, stop: null };
  const { answer, attempt } = await calls.send('openai-chat', place, { ...said, ...unsaid });
  expect({ status: answer.status, warnings: attempt.request.warnings }).toEqual({ status: 200, warnings: [] });
  const asked = await calls.send('openai-chat', place, { ...said, ...unsaid, logprobs: true });
  expect(asked.answer.status).toBe(422);
});
