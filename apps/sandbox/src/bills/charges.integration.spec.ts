import type Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { RunningSandbox } from '../testing/running-sandbox.fixture';

let sandbox: RunningSandbox;
let openai: OpenAI;
let anthropic: Anthropic;
beforeAll(async () => {
  sandbox = await RunningSandbox.start();
  openai = new OpenAI({ apiKey: 'sk-test', baseURL: `${sandbox.url}/openai-responses`, maxRetries: 0 });
  anthropic = sandbox.anthropic();
});
afterAll(() => sandbox.close());

const search = { type: 'web_search_20250305', name: 'web_search' } as const;
const asked = (content: string): Anthropic.Beta.MessageCreateParamsNonStreaming => ({
  model: 'claude-opus-5',
  max_tokens: 1_000,
  messages: [{ role: 'user', content }],
});

describe('what is told of a charge, and booked', () => {
  it('has the searches of a response, and the tier that served it', async () => {
    const body = {
      ...{ model: 'gpt-5.4-mini', input: 'what is new?', store: false, service_tier: 'flex' as const },
      tools: [{ type: 'web_search' as const }],
    };
    const plain = await openai.responses.create(body);
    expect(plain.output.map(({ type }) => type)).toEqual(['web_search_call', 'message']);
    const streamed = await openai.responses.stream(body).finalResponse();
    expect(streamed.output.map(({ type }) => type)).toEqual(['web_search_call', 'message']);
    expect(streamed.output_text).toBe(plain.output_text);
    const row = await sandbox.lastRow();
    expect(row).toMatchObject({ units: { webSearch: 1 }, served: ['flex'] });
    // $0.75 and $4.50 a million, half of it, and a cent for the search whatever the tier.
    const picos = row.inputTokens * 375_000 + row.outputTokens * 2_250_000 + 10_000_000_000;
    expect(row.picoUsd).toBe(String(picos));
  });

  it('has the searches, the speed and the region of a message', async () => {
    const body = {
      ...asked('what is new?'),
      ...{ tools: [search], speed: 'fast' as const, inference_geo: 'us', betas: ['fast-mode-2026-02-01'] },
    };
    const plain = await anthropic.beta.messages.create(body);
    const kinds = ['server_tool_use', 'web_search_tool_result', 'text'];
    expect(plain.content.map(({ type }) => type)).toEqual(kinds);
    const streamed = await anthropic.beta.messages.stream(body).finalMessage();
    expect(streamed.content.map(({ type }) => type)).toEqual(kinds);
    for (const { usage } of [plain, streamed])
      expect(usage).toMatchObject({
        ...{ speed: 'fast', inference_geo: 'us', server_tool_use: { web_search_requests: 1 } },
      });
    const row = await sandbox.lastRow();
    expect(row).toMatchObject({ units: { webSearch: 1 }, served: ['fast', 'us'] });
    // $5 and $25 a million, twice for the speed, and a tenth on top for the region; a cent for the search.
    const picos = row.inputTokens * 11_000_000 + row.outputTokens * 55_000_000 + 10_000_000_000;
    expect(row.picoUsd).toBe(String(picos));
  });

  it('has what a cache keeps for an hour beside what it keeps for five minutes', async () => {
    const instruction = (text: string, ttl: '1h' | '5m') => ({
      ...{ type: 'text' as const, text, cache_control: { type: 'ephemeral' as const, ttl } },
    });
    const system = [instruction('Be kind to everybody. ', '1h'), instruction('Be brief. ', '5m')];
    const { usage } = await anthropic.beta.messages.create({ ...asked('hello'), system });
    const { ephemeral_1h_input_tokens: hour = 0, ephemeral_5m_input_tokens: short = 0 } = usage.cache_creation ?? {};
    expect(hour).toBeGreaterThan(0);
    expect(short).toBeGreaterThan(0);
    expect(usage.cache_creation_input_tokens).toBe(hour + short);
    const row = await sandbox.lastRow();
    const fresh = row.inputTokens - hour - short;
    expect(fresh).toBe(usage.input_tokens);
    // $5 a million, twice for an hour, a quarter on top for five minutes.
    const picos = fresh * 5_000_000 + hour * 10_000_000 + short * 6_250_000 + row.outputTokens * 25_000_000;
    expect(row.picoUsd).toBe(String(picos));
  });

  it.each([
    ['30m', 2_500_000],
    ['12h', 5_000_000],
  ])('has what a response writes into the cache for %s', async (ttl, rate) => {
    const asked = {
      ...{ model: 'gpt-6.2-sol', input: `what is kept for ${ttl}?`, store: false, prompt_cache_key: ttl },
      prompt_cache_options: { ttl: ttl as '30m' },
    };
    const { usage, ...response } = await openai.responses.create(asked);
    const { cache_write_tokens: written = 0, cached_tokens: read = 0 } = usage?.input_tokens_details ?? {};
    expect([written > 0, read]).toEqual([true, 0]);
    expect(response.prompt_cache_options).toEqual({ mode: 'implicit', ttl });
    const row = await sandbox.lastRow();
    expect(row.cacheWrite1hTokens).toBe(ttl === '12h' ? written : 0);
    // $2 and $10 a million, and for what is written a quarter on top, or a half on top of twice as much.
    const picos = (row.inputTokens - written) * 2_000_000 + written * rate + row.outputTokens * 10_000_000;
    expect(row.picoUsd).toBe(String(picos));
    const again = await openai.responses.create(asked);
    expect(again.usage?.input_tokens_details).toEqual({ cached_tokens: written, cache_write_tokens: 0 });
  });

  it.each([
    ['openrouter', 'anthropic/claude-sonnet-5', true],
    ['alibaba', 'qwen3.7-plus', false],
  ])('has what a chat caller keeps for an hour at %s, which does not tell it', async (provider, model, isLong) => {
    const cache_control = { type: 'ephemeral', ttl: '1h' };
    const content = [{ type: 'text', text: `kept at ${provider} `.repeat(20), cache_control }];
    const answer = await fetch(`${sandbox.url}/openai-chat/chat/completions`, {
      method: 'POST',
      headers: { authorization: 'Bearer sk-test', 'x-simulated-provider': provider },
      body: JSON.stringify({ model, messages: [{ role: 'user', content }] }),
    });
    expect(answer.status).toBe(200);
    const row = await sandbox.lastRow();
    expect(row.cacheWriteTokens).toBeGreaterThan(0);
    expect(row.cacheWrite1hTokens).toBe(isLong ? row.cacheWriteTokens : 0);
  });

  it('has no writes of models that charge nothing for them, and no long ones where there are none', async () => {
    const body = { model: 'gpt-5.4-mini', input: 'what is kept?', store: false, prompt_cache_key: 'older' };
    const { usage } = await openai.responses.create(body);
    expect(usage?.input_tokens_details).toEqual({ cached_tokens: 0, cache_write_tokens: 0 });
    expect(await sandbox.lastRow()).toMatchObject({ cacheWriteTokens: 0 });
    const long = { ...body, prompt_cache_options: { ttl: '12h' as '30m' } };
    await expect(openai.responses.create(long)).rejects.toMatchObject({ status: 400 });
  });

  it('has searches of files and the container of a program, whole and streamed', async () => {
    const body = {
      ...{ model: 'gpt-5.4-mini', input: 'what is in it?', store: false },
      tools: [
        { type: 'file_search' as const, vector_store_ids: ['vs_1'] },
        { type: 'code_interpreter' as const, container: { type: 'auto' as const } },
      ],
    };
    const kinds = ['file_search_call', 'code_interpreter_call', 'message'];
    expect((await openai.responses.create(body)).output.map(({ type }) => type)).toEqual(kinds);
    const streamed = await openai.responses.stream(body).finalResponse();
    expect(streamed.output.map(({ type }) => type)).toEqual(kinds);
    const row = await sandbox.lastRow();
    expect(row.units).toEqual({ fileSearch: 1, codeSession: 1 });
    // A quarter of a cent, and three cents.
    const picos = row.inputTokens * 750_000 + row.outputTokens * 4_500_000 + 2_500_000_000 + 30_000_000_000;
    expect(row.picoUsd).toBe(String(picos));
    const [search] = body.tools;
    for (const tools of [[{ ...search, vector_store_ids: [] }], [{ type: 'code_interpreter' }]])
      await expect(openai.responses.create({ ...body, tools } as typeof body)).rejects.toMatchObject({ status: 400 });
  });

  it('has what the model and its advisor wrote before the answer, and what a compaction did', async () => {
    const advised = {
      ...asked('how do I begin?'),
      tools: [{ type: 'advisor_20260301' as const, name: 'advisor' as const, model: 'claude-opus-5-5' }],
      betas: ['advisor-tool-2026-03-01'],
    };
    const streamed = await anthropic.beta.messages.stream(advised).finalMessage();
    for (const { usage, content } of [await anthropic.beta.messages.create(advised), streamed]) {
      expect(content.map(({ type }) => type)).toEqual(['server_tool_use', 'advisor_tool_result', 'text']);
      const all = usage.iterations ?? [];
      expect(all.map(({ type }) => type)).toEqual(['message', 'advisor_message', 'message']);
      const own = all.filter(({ type }) => type === 'message').reduce((sum, one) => sum + one.output_tokens, 0);
      expect(usage.output_tokens).toBe(own);
    }
    const row = await sandbox.lastRow();
    expect(row.samplings.map(({ model }) => model)).toEqual(['claude-opus-5', 'claude-opus-5-5']);
    const [first, advice] = row.samplings;
    // $5 and $25 a million, and the advisor's $4 and $20.
    const own =
      (row.inputTokens + (first?.inputTokens ?? 0)) * 5 + (row.outputTokens + (first?.outputTokens ?? 0)) * 25;
    const picos = own + (advice?.inputTokens ?? 0) * 4 + (advice?.outputTokens ?? 0) * 20;
    expect(row.picoUsd).toBe(String(picos * 1_000_000));
    await expect(anthropic.beta.messages.create({ ...advised, betas: [] })).rejects.toMatchObject({ status: 400 });
  });

  it('has what a compaction of a long conversation took', async () => {
    const edit = { type: 'compact_20260112' as const, trigger: { type: 'input_tokens' as const, value: 50_000 } };
    const compacting = (words: number) => ({
      ...asked('Tell me more. '.repeat(words)),
      ...{ context_management: { edits: [edit] }, betas: ['compact-2026-01-12'] },
    });
    const long = await anthropic.beta.messages.create(compacting(15_000));
    expect(long.content.map(({ type }) => type)).toEqual(['compaction', 'text']);
    expect(long.usage.iterations?.map(({ type }) => type)).toEqual(['compaction', 'message']);
    const { outputTokens, samplings } = await sandbox.lastRow();
    // What the compaction wrote is told among the iterations alone.
    expect(long.usage.output_tokens).toBe(outputTokens);
    expect(samplings).toHaveLength(1);
    const short = await anthropic.beta.messages.create(compacting(2));
    expect(short.content.map(({ type }) => type)).toEqual(['text']);
    expect((await sandbox.lastRow()).samplings).toEqual([]);
  });

  it('has the tier and the searches of Gemini', async () => {
    const ask = async (model: string, extra: object): Promise<Response> =>
      sandbox.post(`/gemini/models/${model}:generateContent`, {
        contents: [{ role: 'user', parts: [{ text: 'what is new?' }] }],
        ...extra,
      });
    const grounded = { tools: [{ googleSearch: {} }] };
    const answer = await ask('gemini-3.8-flash', { ...grounded, serviceTier: 'flex' });
    expect(await answer.json()).toMatchObject({
      candidates: [{ groundingMetadata: { webSearchQueries: ['example'] } }],
      usageMetadata: { serviceTier: 'flex' },
    });
    const row = await sandbox.lastRow();
    expect(row).toMatchObject({ units: { webSearch: 1 }, served: ['flex'] });
    // $0.75 and $3.75 a million, half of it, and 1.4 cents for the query.
    expect(row.picoUsd).toBe(String(row.inputTokens * 375_000 + row.outputTokens * 1_875_000 + 14_000_000_000));
    await ask('gemini-2.5-flash-lite', { ...grounded, serviceTier: 'priority' });
    const older = await sandbox.lastRow();
    // $0.10 and $0.40 a million, 1.8 times, and 3.5 cents for the prompt.
    expect(older.picoUsd).toBe(String(older.inputTokens * 180_000 + older.outputTokens * 720_000 + 35_000_000_000));
    expect((await ask('gemini-3.8-flash', { serviceTier: 'scale' })).status).toBe(400);
  });

  it('has pages and programs of a message, which cost nothing', async () => {
    const body = {
      ...asked('what is on that page?'),
      tools: [
        { type: 'web_fetch_20250910' as const, name: 'web_fetch' as const },
        { type: 'code_execution_20250825' as const, name: 'code_execution' as const },
      ],
    };
    const kinds = ['web_fetch', 'bash_code_execution'].flatMap((tool) => ['server_tool_use', `${tool}_tool_result`]);
    const streamed = await anthropic.beta.messages.stream(body).finalMessage();
    for (const { usage, content } of [await anthropic.beta.messages.create(body), streamed]) {
      expect(content.map(({ type }) => type)).toEqual([...kinds, 'text']);
      expect(usage.server_tool_use).toMatchObject({ web_search_requests: 0, web_fetch_requests: 1 });
    }
    const row = await sandbox.lastRow();
    expect(row.units).toEqual({ webFetch: 1, codeExecution: 1 });
    expect(row.picoUsd).toBe(String(row.inputTokens * 5_000_000 + row.outputTokens * 25_000_000));
  });

  it.each([
    ['batch', 'auto', 'batch', ['batch']],
    ['priority', undefined, 'priority', ['priority']],
    ['priority', 'standard_only', 'standard', []],
  ] as const)('has the tier %s that the account bought, asked for %s', async (bought, tier, told, served) => {
    const body = { ...asked(`hello [[sandbox: tier=${bought}]]`), ...(tier && { service_tier: tier }) };
    const streamed = await anthropic.beta.messages.stream(body).finalMessage();
    for (const { usage } of [await anthropic.beta.messages.create(body), streamed])
      expect(usage.service_tier).toBe(told);
    const row = await sandbox.lastRow();
    expect(row.served).toEqual(served);
    const picos = row.inputTokens * 5_000_000 + row.outputTokens * 25_000_000;
    // The priority tier is sold by contract, for a price that no page prints.
    expect(row.picoUsd).toBe(told === 'priority' ? null : String(told === 'batch' ? picos / 2 : picos));
  });

  it('has the searches of xAI, what they fetched, and what it says that it charges', async () => {
    const tools = ['web_search', 'x_search', 'code_interpreter'].map((type) => ({ type }));
    const body = { model: 'grok-4.6', input: 'what do they say?', store: false, tools } as {
      model: string;
      input: string;
    };
    const kinds = ['web_search_call', 'x_search_call', 'code_interpreter_call', 'message'];
    const streamed = await openai.responses.stream(body).finalResponse();
    for (const { usage, output } of [await openai.responses.create(body), streamed]) {
      expect(output.map(({ type }) => type as string)).toEqual(kinds);
      const details = { web_search_calls: 1, x_search_calls: 1, x_posts_fetched: 2, code_interpreter_calls: 1 };
      expect(usage).toMatchObject({ server_side_tool_usage_details: details });
      const row = await sandbox.lastRow();
      expect(row.units).toEqual({ webSearch: 1, xSearch: 1, codeExecution: 1, xPost: 2 });
      // $2 and $6 a million, half a cent for the search, the program and each of two posts.
      const picos = row.inputTokens * 2_000_000 + row.outputTokens * 6_000_000 + 4 * 5_000_000_000;
      expect(row.picoUsd).toBe(String(picos));
      expect(usage).toMatchObject({ cost_in_usd_ticks: picos / 100 });
    }
  });

  it('has an image by the tokens of the model that made it', async () => {
    const tools = [{ type: 'image_generation' as const }];
    const body = { model: 'gpt-5.4-mini', input: 'draw a dot', store: false, tools };
    const streamed = await openai.responses.stream(body).finalResponse();
    for (const response of [await openai.responses.create(body), streamed]) {
      expect(response.output.map(({ type }) => type)).toEqual(['image_generation_call', 'message']);
      expect(response).toMatchObject({
        tools: [{ type: 'image_generation', model: 'gpt-image-2' }],
        tool_usage: { image_gen: { input_tokens: 13, output_tokens: 272 } },
      });
    }
    const row = await sandbox.lastRow();
    expect(row.units).toEqual({ 'gpt-image-2 text input': 13, 'gpt-image-2 image output': 272 });
    // $0.75 and $4.50 a million, and $5 and $30 of the other model.
    const picos = row.inputTokens * 750_000 + row.outputTokens * 4_500_000 + 13 * 5_000_000 + 272 * 30_000_000;
    expect(row.picoUsd).toBe(String(picos));
  });

  it("has Perplexity's fee for a request by what it reads of the web", async () => {
    for (const [size, fee] of [
      ['low', 5_000],
      ['medium', 8_000],
      ['high', 12_000],
    ] as const) {
      const answer = await sandbox.post('/openai-chat/chat/completions', {
        ...{ model: 'sonar', messages: [{ role: 'user', content: 'what is new?' }] },
        web_search_options: { search_context_size: size },
      });
      const row = await sandbox.lastRow();
      const picos = (row.inputTokens + row.outputTokens + fee) * 1_000_000;
      expect(row.picoUsd).toBe(String(picos));
      expect(await answer.json()).toMatchObject({
        usage: { search_context_size: size, cost: { request_cost: fee / 1e6, total_cost: picos / 1e12 } },
      });
    }
  });

  it('has sound at a rate of its own', async () => {
    const sound = { inlineData: { mimeType: 'audio/wav', data: 'UklGRg==' } };
    const answer = await sandbox.post('/gemini/models/gemini-3.1-flash-lite:generateContent', {
      contents: [{ role: 'user', parts: [{ text: 'what is that?' }, sound] }],
    });
    const row = await sandbox.lastRow();
    expect(await answer.json()).toMatchObject({
      usageMetadata: {
        promptTokenCount: row.inputTokens,
        promptTokensDetails: [{ modality: 'TEXT' }, { modality: 'AUDIO', tokenCount: 32 }],
      },
    });
    // $0.25 and $1.50 a million, and twice as much for sound as for text.
    const picos = (row.inputTokens - 32) * 250_000 + 32 * 500_000 + row.outputTokens * 1_500_000;
    expect([row.audioInputTokens, row.picoUsd]).toEqual([32, String(picos)]);
  });

  it('is told of an answer of OpenRouter by its id, with what is planted', async () => {
    const ask = () =>
      sandbox.post('/openai-chat/chat/completions', {
        ...{ model: 'openai/gpt-5.2', messages: [{ role: 'user', content: 'hello' }] },
      });
    const { id, usage } = (await (await ask()).json()) as { id: string; usage: { cost: number } };
    const row = await sandbox.lastRow();
    expect(id).toMatch(/^gen-/);
    // $1.75 and $14 a million.
    const picos = row.inputTokens * 1_750_000 + row.outputTokens * 14_000_000;
    expect([usage.cost, row.picoUsd]).toEqual([picos / 1e12, String(picos)]);
    const told = async (asked: string): Promise<unknown> =>
      (await fetch(`${sandbox.url}/openai-chat/generation?id=${asked}`)).json();
    expect(await told(id)).toMatchObject({ data: { id, total_cost: picos / 1e12, is_byok: false } });
    const planted = { more: [{ requestId: row.requestId, output: 2 }] };
    await fetch(`${sandbox.url}/control/bills`, { method: 'POST', body: JSON.stringify(planted) });
    expect(await told(id)).toMatchObject({ data: { total_cost: (picos + 28_000_000) / 1e12 } });
    await fetch(`${sandbox.url}/control/bills`, { method: 'POST', body: '{}' });
    expect(await told('gen-none')).toMatchObject({ error: { code: 404 } });
  });

  it('is refused where the provider refuses it', async () => {
    const fast = { ...asked('hello'), speed: 'fast' as const };
    await expect(anthropic.beta.messages.create(fast)).rejects.toMatchObject({ status: 400 });
    const haiku = { ...fast, model: 'claude-haiku-4-5-20251001', betas: ['fast-mode-2026-02-01'] };
    await expect(anthropic.beta.messages.create(haiku)).rejects.toMatchObject({ status: 400 });
    // Out of the preview, it needs no word for it.
    const opus = await anthropic.beta.messages.create({ ...fast, model: 'claude-opus-5-5' });
    expect(opus.usage).toMatchObject({ speed: 'fast' });
    const former = { ...fast, model: 'claude-opus-4-6', betas: ['fast-mode-2026-02-01'] };
    expect((await anthropic.beta.messages.create(former)).usage.speed).not.toBe('fast');
    const order = ['5m', '1h'].map((ttl) => ({
      ...{ type: 'text' as const, text: 'Be kind.', cache_control: { type: 'ephemeral' as const, ttl } },
    })) as Anthropic.Beta.BetaTextBlockParam[];
    await expect(anthropic.beta.messages.create({ ...asked('hello'), system: order })).rejects.toMatchObject({
      status: 400,
    });
  });
});
