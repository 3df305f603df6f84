import { createOpenAI } from '@ai-sdk/openai';
import Anthropic from '@anthropic-ai/sdk';
import { ChatOpenAI } from '@langchain/openai';
import { dialectNames } from '@tollgate/contracts';
import { stepCountIs, streamText, tool } from 'ai';
import OpenAI from 'openai';
import { z } from 'zod';
import { callers } from '@tollgate/testing';
import { chatTools, parameters, TranslatedCalls } from './translated-calls.fixture';
import type { Place } from './translated-calls.fixture';

let calls: TranslatedCalls;
beforeAll(async () => {
  calls = await TranslatedCalls.start();
});
afterAll(() => calls.close());

const prompt = 'use look_up and add';

const openai: TranslatedCalls['openai'] = (place, surface) => calls.openai(place, surface);

describe.each(dialectNames)('unmodified clients on a model of %s', (dialect) => {
  it("gets two calls at once with the stream helper of OpenAI's client", async () => {
    const stream = openai({ dialect }, 'openai-chat').chat.completions.stream({
      model: 'm',
      messages: [{ role: 'user', content: prompt }],
      tools: chatTools,
    });
    const called = (await stream.finalMessage()).tool_calls ?? [];
    expect(called.map((call) => (call.type === 'function' ? call.function.name : ''))).toEqual(['look_up', 'add']);
  });

  it('gets two calls at once with LangChain', async () => {
    const chat = new ChatOpenAI({
      model: 'm',
      apiKey: 'k',
      maxRetries: 0,
      configuration: { fetch: calls.fetchFor('openai-chat', { dialect }) },
    });
    const names: (string | undefined)[] = [];
    for await (const chunk of await chat.bindTools(chatTools).stream(prompt))
      for (const { name } of chunk.tool_call_chunks ?? []) if (name) names.push(name);
    expect(names).toEqual(['look_up', 'add']);
  });

  it('goes through a loop of tool calls with the AI SDK', async () => {
    const provider = createOpenAI({ apiKey: 'k', fetch: calls.fetchFor('openai-chat', { dialect }) });
    const lookUp = tool({ inputSchema: z.object({ what: z.string() }), execute: ({ what }) => `found ${what}` });
    const { text } = streamText({
      model: provider.chat('m'),
      prompt: '[[sandbox: calls=2]] work',
      tools: { look_up: lookUp },
      stopWhen: stepCountIs(5),
      maxRetries: 0,
    });
    expect(await text).toBe('The tools said: found example');
  });

  it("gets two calls at once with the stream helper of Anthropic's client", async () => {
    const fetch = calls.fetchFor('anthropic-messages', { dialect });
    const client = new Anthropic({ apiKey: 'k', maxRetries: 0, fetch });
    const stream = client.messages.stream({
      model: 'm',
      max_tokens: 1_000,
      // As long as Claude Code's.
      metadata: { user_id: `user_${'a'.repeat(64)}_account__session_${'b'.repeat(63)}` },
      system: [
        // What Claude Code tells Anthropic comes in a block of its own:
        // https://code.claude.com/docs/en/llm-gateway-protocol#system-prompt-attribution-block
        { type: 'text', text: 'x-anthropic-billing-header: cc_version=2.1.177.01c; cc_entrypoint=cli; cch=36ee5;' },
        { type: 'text', text: 'You are an agent.', cache_control: { type: 'ephemeral' } },
      ],
      messages: [{ role: 'user', content: prompt }],
      tools: chatTools.map(({ function: { name } }) => ({ name, input_schema: { ...parameters, type: 'object' } })),
    });
    const { content } = await stream.finalMessage();
    expect(content.flatMap((block) => (block.type === 'tool_use' ? [block.name] : []))).toEqual(['look_up', 'add']);
  });
});

describe.each(dialectNames.filter((dialect) => dialect !== 'anthropic-messages'))(
  'a tool that Anthropic defines and the client runs, on a model of %s',
  (dialect) => {
    it("is called and answered with Anthropic's client", async () => {
      const client = new Anthropic({
        apiKey: 'k',
        maxRetries: 0,
        fetch: calls.fetchFor('anthropic-messages', { dialect }),
      });
      const body = {
        model: 'm',
        max_tokens: 2_000,
        tools: [
          { type: 'bash_20250124' as const, name: 'bash' as const },
          { type: 'text_editor_20250728' as const, name: 'str_replace_based_edit_tool' as const },
        ],
        messages: [{ role: 'user' as const, content: 'use bash and str_replace_based_edit_tool' }],
      };
      const called = await client.messages.stream(body).finalMessage();
      const uses = called.content.filter((block) => block.type === 'tool_use');
      expect(uses.map(({ name, input }) => ({ name, input }))).toEqual([
        { name: 'bash', input: expect.objectContaining({ command: expect.any(String) }) },
        { name: 'str_replace_based_edit_tool', input: expect.objectContaining({ command: 'view', path: 'example' }) },
      ]);
      const results = uses.map(({ id }) => ({ type: 'tool_result' as const, tool_use_id: id, content: 'done' }));
      const next = [
        ...body.messages,
        { role: 'assistant' as const, content: called.content },
        { role: 'user' as const, content: results },
      ];
      const last = await client.messages.create({ ...body, messages: next });
      expect(last.content.at(-1)).toMatchObject({ type: 'text', text: 'The tools said: done and done' });
    });
  },
);

describe.each<Place>([
  { dialect: 'gemini', quirks: { webSearch: '.' } },
  { dialect: 'openai-responses', quirks: { webSearch: '.' } },
])('a search of the web on a model of $dialect', (place) => {
  const found = 'https://example.com/';

  it("is asked for and cited with OpenAI's client of chat completions", async () => {
    const { choices } = await openai(place, 'openai-chat').chat.completions.create({
      model: 'm',
      messages: [{ role: 'user', content: 'hello' }],
      web_search_options: {},
    });
    expect(choices[0]?.message.annotations).toMatchObject([{ type: 'url_citation', url_citation: { url: found } }]);
  });

  it("is demanded and cited with Anthropic's client", async () => {
    const client = new Anthropic({ apiKey: 'k', maxRetries: 0, fetch: calls.fetchFor('anthropic-messages', place) });
    const stream = client.messages.stream({
      model: 'm',
      max_tokens: 1_000,
      messages: [{ role: 'user', content: 'hello' }],
      tools: [{ type: 'web_search_20250305', name: 'web_search', max_uses: 3 }],
      tool_choice: { type: 'tool', name: 'web_search' },
    });
    const { content } = await stream.finalMessage();
    const cited = content.flatMap((block) => (block.type === 'text' ? (block.citations ?? []) : []));
    expect(cited).toMatchObject([{ type: 'web_search_result_location', url: found }]);
  });
});

it("is asked for and cited with OpenAI's client of responses", async () => {
  const client = openai({ dialect: 'gemini', quirks: { webSearch: '.' } }, 'openai-responses');
  const { output } = await client.responses.create({ model: 'm', input: 'hello', tools: [{ type: 'web_search' }] });
  const said = output.flatMap((item) => (item.type === 'message' ? item.content : []));
  expect(said).toMatchObject([{ annotations: [{ type: 'url_citation', url: 'https://example.com/' }] }]);
});

it("has programs run with OpenAI's client of responses, and goes on without what they left", async () => {
  const client = openai({ dialect: 'gemini', quirks: { codeExecution: '.' } }, 'openai-responses');
  const tools = [{ type: 'code_interpreter' as const, container: { type: 'auto' as const } }];
  const { output_text: said } = await client.responses.create({
    model: 'm',
    tools,
    input: [
      { role: 'user', content: 'hello' },
      { type: 'code_interpreter_call', id: 'ci_1', status: 'completed', container_id: 'c', code: '1', outputs: [] },
      { role: 'assistant', content: 'one' },
      { role: 'user', content: 'again' },
    ],
  });
  expect(said).toContain('again');
});

describe('tool loops on a model that insists on its own reasoning', () => {
  const place: Place = {
    dialect: 'openai-chat',
    model: 'deepseek-v4-pro',
    quirks: { insistsOnReasoning: ['deepseek-'] },
  };

  it.each(callers)('go on for five turns (surface: $surface)', async (caller) => {
    let body = caller.ask('[[sandbox: calls=5]] work', { stream: true, tools: ['look_up'], reasons: true });
    for (let round = 0; round < 6; round++) {
      const { attempt, received, sent } = await calls.send(caller.surface, place, body);
      const reader = attempt.answerReader();
      const answer = caller.read(Buffer.concat([reader.push(received), reader.end()]).toString(), true);
      expect({ error: reader.error, sent }).toMatchObject({ error: null });
      // What the model thought comes back to it, not something in its place.
      expect(sent).not.toContain('"reasoning_content":" "');
      if (round === 5) expect(answer.text).toBe('The tools said: ok');
      body = caller.goOn(body, answer, () => 'ok');
    }
  });

  it('go on with clients that do not send it back', async () => {
    const provider = createOpenAI({ apiKey: 'k', fetch: calls.fetchFor('openai-chat', place) });
    const lookUp = tool({ inputSchema: z.object({ what: z.string() }), execute: ({ what }) => `found ${what}` });
    const { text } = streamText({
      model: provider.chat('m'),
      prompt: '[[sandbox: calls=5]] work',
      tools: { look_up: lookUp },
      stopWhen: stepCountIs(9),
      maxRetries: 0,
    });
    expect(await text).toBe('The tools said: found example');
  });

  it("sends it back from the AI SDK's client of responses", async () => {
    const bodies: string[] = [];
    const send = calls.fetchFor('openai-responses', place);
    const fetch: typeof globalThis.fetch = (input, init) => {
      bodies.push(typeof init?.body === 'string' ? init.body : '');
      return send(input, init);
    };
    const lookUp = tool({ inputSchema: z.object({ what: z.string() }), execute: ({ what }) => `found ${what}` });
    const { text } = streamText({
      model: createOpenAI({ apiKey: 'k', fetch }).responses('o4-mini'),
      prompt: '[[sandbox: calls=2]] work',
      tools: { look_up: lookUp },
      stopWhen: stepCountIs(9),
      maxRetries: 0,
      providerOptions: { openai: { store: false, include: ['reasoning.encrypted_content'] } },
    });
    expect(await text).toBe('The tools said: found example');
    expect(bodies.at(-1)).toContain('"encrypted_content":"tollgate:unsealed"');
  });
});

describe('a conversation that changes its model on responses', () => {
  const native: Place = { dialect: 'openai-responses' };
  const others: Place[] = dialectNames.map((dialect) => ({ dialect }));
  const elsewhere: Place = { dialect: 'openai-responses', provider: 'azure' };
  const caller = callers.find(({ surface }) => surface === 'openai-responses');
  if (!caller) throw new Error('no caller of responses');

  async function turn(place: Place, body: Record<string, unknown>) {
    const { attempt, answer, received, sent } = await calls.send('openai-responses', place, body);
    if (answer.status !== 200) throw new Error(`${answer.status} ${Buffer.from(received).toString()} for ${sent}`);
    const reader = attempt.answerReader();
    const shown = Buffer.concat([reader.push(received), reader.end()]).toString();
    expect(reader.error).toBeNull();
    return { read: caller?.read(shown, true), sent };
  }

  it.each([...others, elsewhere])(
    'goes on at OpenAI after tool calls of $dialect $provider, and back',
    async (other) => {
      let body = caller.ask('[[sandbox: calls=3]] work', { stream: true, tools: ['look_up'], reasons: true });
      for (const place of [other, native, other, native]) {
        const { read, sent } = await turn(place, body);
        if (!read) throw new Error('nothing read');
        expect(sent).not.toContain('"tollgate');
        body = caller.goOn(body, read, () => 'ok');
      }
    },
  );
});

it.each(dialectNames)("runs Anthropic's tool runner, which begins with a thread (%s)", async (dialect) => {
  const fetch = calls.fetchFor('anthropic-messages', { dialect });
  const bodies: string[] = [];
  const client = new Anthropic({
    apiKey: 'k',
    maxRetries: 0,
    fetch: (input, init) => {
      bodies.push(typeof init?.body === 'string' ? init.body : '');
      return fetch(input, init);
    },
  });
  const message = await client.beta.messages.toolRunner({
    model: 'm',
    max_tokens: 1_000,
    messages: [{ role: 'user', content: '[[sandbox: calls=2]] work' }],
    tools: [
      {
        name: 'look_up',
        input_schema: { ...parameters, type: 'object' },
        run: () => 'found',
        parse: (input: unknown) => input,
      },
    ],
  });
  expect(bodies[0]).toContain('"thread":{');
  expect(message.content).toMatchObject([{ type: 'text', text: 'The tools said: found' }]);
});

// Who speaks Anthropic's dialect to Anthropic keeps to its rules for names himself.
it.each(dialectNames.filter((dialect) => dialect !== 'anthropic-messages'))(
  "calls tools with MCP's long names and other characters by those names (%s)",
  async (dialect) => {
    const name = `mcp__${'server'.repeat(12)}__files/read.text`;
    const fetch = calls.fetchFor('anthropic-messages', { dialect });
    const stream = new Anthropic({ apiKey: 'k', maxRetries: 0, fetch }).messages.stream({
      model: 'm',
      max_tokens: 1_000,
      messages: [{ role: 'user', content: '[[sandbox: calls=1]] work' }],
      tools: [{ name, input_schema: { ...parameters, type: 'object' } }],
    });
    const { content } = await stream.finalMessage();
    expect(content.flatMap((block) => (block.type === 'tool_use' ? [block.name] : []))).toEqual([name]);
  },
);

describe('a conversation that is compacted', () => {
  const places: [string, Place][] = [
    ...dialectNames.map((dialect): [string, Place] => [dialect, { dialect }]),
    ['openai-responses that compacts', { dialect: 'openai-responses', provider: 'openai', quirks: { compacts: true } }],
  ];
  const asked = { role: 'user' as const, content: 'look at the gate' };
  const said: OpenAI.Responses.ResponseInput = [
    asked,
    { type: 'function_call', call_id: 'c', name: 'look_up', arguments: '{"what":"gate"}' },
    { type: 'function_call_output', call_id: 'c', output: 'it is shut' },
    { role: 'assistant', content: 'The gate is shut.' },
  ];
  const text = (answer: OpenAI.Responses.Response) => answer.output_text;

  it.each(places)('keeps what the user said and goes on from the rest (%s)', async (_, place) => {
    const client = openai(place, 'openai-responses');
    const short = await client.responses.compact({ model: 'm', instructions: 'Be brief.', input: said });
    expect(short).toMatchObject({
      object: 'response.compaction',
      usage: { output_tokens: expect.any(Number) as number },
    });
    expect(short.output).toMatchObject([
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: asked.content }] },
      { type: 'compaction', id: expect.stringMatching(/^cmp_/) as string },
    ]);
    const input = [...short.output, { role: 'user', content: 'and now?' }] as OpenAI.Responses.ResponseInput;
    const next = await client.responses.create({ model: 'm', input, store: false });
    // Where turns of the user's stand together, they are one: the summary comes before the question.
    expect(text(next)).toMatch(/heard (and now|look at the gate The conversation before this)/);
    // A second time, what stands for the first part is a part of what is compacted.
    const shorter = await client.responses.compact({ model: 'm', input });
    expect(shorter.output.map(({ type }) => type)).toEqual(['message', 'message', 'compaction']);
  });

  it.each(places)('is compacted in a stream, as Codex asks for it (%s)', async (_, place) => {
    if (place.dialect === 'openai-responses' && !place.quirks) return;
    const stream = openai(place, 'openai-responses').responses.stream({
      model: 'm',
      store: false,
      tools: [{ type: 'function', name: 'look_up', strict: true, parameters }],
      input: [...said, { type: 'compaction_trigger' }],
    });
    const types: string[] = [];
    for await (const event of stream)
      types.push(event.type === 'response.output_item.done' ? event.item.type : event.type);
    expect(types.filter((type) => type === 'compaction')).toHaveLength(1);
    expect(types).not.toContain('message');
    expect(types.at(-1)).toBe('response.completed');
  });

  it('goes on at another provider by its summary, and not by what only its maker can read', async () => {
    const openaiPlace: Place = { dialect: 'openai-responses', provider: 'openai', quirks: { compacts: true } };
    const claude: Place = { dialect: 'anthropic-messages' };
    const compact = async (place: Place) => {
      const { output } = await openai(place, 'openai-responses').responses.compact({ model: 'm', input: said });
      return [...output, { role: 'user', content: 'and now?' }] as OpenAI.Responses.ResponseInput;
    };
    const goOn = (place: Place, input: OpenAI.Responses.ResponseInput) =>
      openai(place, 'openai-responses').responses.create({ model: 'm', input, store: false });
    expect(text(await goOn(openaiPlace, await compact(claude)))).toContain('heard and now');
    const sealed = await compact(openaiPlace);
    await expect(goOn(claude, sealed)).rejects.toThrow('alone can read it');
    await expect(goOn({ ...openaiPlace, provider: 'azure' }, sealed)).rejects.toThrow('compacted by openai');
  });

  it('is an error where the model gives half a summary', async () => {
    const half = { role: 'user' as const, content: '[[sandbox: finish=filter]] hello' };
    const client = openai({ dialect: 'gemini' }, 'openai-responses');
    await expect(client.responses.compact({ model: 'm', input: [half] })).rejects.toThrow('gave no whole summary');
  });
});
