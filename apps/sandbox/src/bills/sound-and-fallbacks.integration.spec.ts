import type Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import type { LedgerRow } from '../ledger/ledger';
import { RunningSandbox } from '../testing/running-sandbox.fixture';

let sandbox: RunningSandbox;
let openai: OpenAI;
let anthropic: Anthropic;
beforeAll(async () => {
  sandbox = await RunningSandbox.start();
  openai = new OpenAI({ apiKey: 'sk-test', baseURL: `${sandbox.url}/openai-chat`, maxRetries: 0 });
  anthropic = sandbox.anthropic();
});
afterAll(() => sandbox.close());

describe('a spoken answer', () => {
  const spoken = (format: 'wav' | 'pcm16'): OpenAI.ChatCompletionCreateParamsNonStreaming => ({
    model: 'gpt-audio-1.5',
    modalities: ['text', 'audio'],
    audio: { voice: 'alloy', format },
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Say it again. [[sandbox: tokens=8]]' },
          { type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } },
        ],
      },
    ],
  });
  /** $2.50 and $10 a million for words, $32 and $64 for sound: 10 tokens heard, 48 of 56 said. */
  const picosOf = ({ inputTokens }: LedgerRow): string =>
    String((inputTokens - 10) * 2_500_000 + 10 * 32_000_000 + 8 * 10_000_000 + 48 * 64_000_000);

  it('has its words as a transcript, and its sound at a rate of its own', async () => {
    const { choices, usage } = await openai.chat.completions.create(spoken('wav'));
    const message = choices[0]?.message;
    expect(message).toMatchObject({ content: null, audio: { id: expect.stringMatching(/^audio_/) as string } });
    expect(message?.audio?.transcript.split(' ')).toHaveLength(8);
    expect(usage).toMatchObject({
      completion_tokens: 56,
      prompt_tokens_details: { audio_tokens: 10 },
      completion_tokens_details: { audio_tokens: 48, text_tokens: 8 },
    });
    const row = await sandbox.lastRow();
    expect(row).toMatchObject({ audioInputTokens: 10, outputTokens: 56, audioOutputTokens: 48 });
    expect([row.inputTokens, row.picoUsd]).toEqual([usage?.prompt_tokens, picosOf(row)]);
  });

  it('comes word by word, each with its sound', async () => {
    const asked = { ...spoken('pcm16'), stream: true as const, stream_options: { include_usage: true } };
    const said: { transcript?: string; data?: string }[] = [];
    let told: OpenAI.CompletionUsage | null | undefined;
    for await (const { choices, usage } of await openai.chat.completions.create(asked)) {
      const { audio } = (choices[0]?.delta ?? {}) as { audio?: { transcript?: string; data?: string } };
      if (audio) said.push(audio);
      told = usage;
    }
    expect(said.flatMap(({ transcript = [] }) => transcript)).toHaveLength(8);
    expect(said.flatMap(({ data = [] }) => data)).toHaveLength(8);
    expect(told).toMatchObject({ completion_tokens: 56, completion_tokens_details: { audio_tokens: 48 } });
    const row = await sandbox.lastRow();
    expect([row.audioOutputTokens, row.picoUsd]).toEqual([48, picosOf(row)]);
  });

  it('that is cut off is booked as far as it was said', async () => {
    const { messages, ...asked } = spoken('pcm16');
    const cut = [{ role: 'user' as const, content: 'Say it. [[sandbox: tokens=8 fault=truncate at=5]]' }];
    for await (const chunk of await openai.chat.completions.create({ ...asked, messages: cut, stream: true }))
      expect(chunk.choices[0]?.finish_reason).toBeNull();
    // Three words, two of them with their sound.
    expect(await sandbox.lastRow()).toMatchObject({ state: 'cut', outputTokens: 15, audioOutputTokens: 12 });
    expect(messages).toHaveLength(1);
  });

  it.each([
    ['of a model that has no voice', { model: 'gpt-5.4-mini' }],
    ['without a voice', { audio: undefined }],
    ['as a file in a stream', { stream: true }],
    ['in a modality that nobody knows', { modalities: ['smell'] }],
  ])('is refused %s', async (_, wrong) => {
    const body = { ...spoken('wav'), ...wrong } as OpenAI.ChatCompletionCreateParamsNonStreaming;
    await expect(openai.chat.completions.create(body)).rejects.toMatchObject({ status: 400 });
  });
});

describe('a message whose model declines', () => {
  const asked: Anthropic.Beta.MessageCreateParamsNonStreaming = {
    model: 'claude-fable-5-2',
    max_tokens: 1_000,
    messages: [{ role: 'user', content: 'How does it work? [[sandbox: finish=refusal]]' }],
    fallbacks: [{ model: 'claude-opus-5-5' }],
    betas: ['server-side-fallback-2026-07-01'],
  };

  it('is answered by the one that was named, and is charged as of that one', async () => {
    const streamed = await anthropic.beta.messages.stream(asked).finalMessage();
    for (const { model, content, stop_reason: stop, usage } of [
      await anthropic.beta.messages.create(asked),
      streamed,
    ]) {
      expect([model, stop]).toEqual(['claude-opus-5-5', 'end_turn']);
      expect(content.map(({ type }) => type)).toEqual(['fallback', 'text']);
      expect(content[0]).toMatchObject({ from: { model: 'claude-fable-5-2' }, to: { model: 'claude-opus-5-5' } });
      expect(usage.iterations).toMatchObject([
        { type: 'message', model: 'claude-fable-5-2', output_tokens: 0 },
        { type: 'fallback_message', model: 'claude-opus-5-5', output_tokens: usage.output_tokens },
      ]);
    }
    const row = await sandbox.lastRow();
    expect(row).toMatchObject({ model: 'claude-fable-5-2', answeredBy: 'claude-opus-5-5' });
    // $4 and $20 a million, not the $8 and $40 of the one that declined.
    expect(row.picoUsd).toBe(String(row.inputTokens * 4_000_000 + row.outputTokens * 20_000_000));
  });

  it('is refused where none is named, and answers itself where it does not decline', async () => {
    const { fallbacks, betas, ...alone } = asked;
    expect((await anthropic.beta.messages.create({ ...alone, betas })).stop_reason).toBe('refusal');
    const messages = [{ role: 'user' as const, content: 'hello' }];
    const fine = await anthropic.beta.messages.create({ ...asked, messages });
    expect([fine.model, fine.usage.iterations]).toEqual(['claude-fable-5-2', undefined]);
    expect(fallbacks).toHaveLength(1);
  });

  it.each([
    ['without the beta', { betas: [] }],
    ['at a model that has none', { model: 'claude-sonnet-5' }],
    ['by nobody', { fallbacks: [] }],
    ['by more than three', { fallbacks: ['a', 'b', 'c', 'd'].map((model) => ({ model })) }],
  ])('is a 400 %s', async (_, wrong) => {
    await expect(anthropic.beta.messages.create({ ...asked, ...wrong })).rejects.toMatchObject({ status: 400 });
  });

  it('is answered by whom Anthropic takes, where a model has one', async () => {
    const open = { ...asked, fallbacks: 'default' as const };
    expect((await anthropic.beta.messages.create(open)).model).toBe('claude-opus-4-8');
    const without = await anthropic.beta.messages.create({ ...open, model: 'claude-sonnet-5' });
    expect(without.stop_reason).toBe('refusal');
  });
});

it('tells pictures, films and recordings apart, of which the last cost more', async () => {
  const media = ['image/png', 'video/mp4', 'audio/wav'].map((mimeType) => ({ inlineData: { mimeType, data: 'AAAA' } }));
  const answer = await sandbox.post('/gemini/models/gemini-3.1-flash-lite:generateContent', {
    contents: [{ role: 'user', parts: [{ text: 'what is that?' }, ...media] }],
  });
  const row = await sandbox.lastRow();
  expect(await answer.json()).toMatchObject({
    usageMetadata: {
      promptTokenCount: row.inputTokens,
      promptTokensDetails: [
        { modality: 'TEXT', tokenCount: row.inputTokens - 553 },
        { modality: 'AUDIO', tokenCount: 32 },
        { modality: 'IMAGE', tokenCount: 258 },
        { modality: 'VIDEO', tokenCount: 263 },
      ],
    },
  });
  // $0.25 and $1.50 a million, and twice as much for sound as for all else.
  const picos = (row.inputTokens - 32) * 250_000 + 32 * 500_000 + row.outputTokens * 1_500_000;
  expect([row.seen, row.picoUsd]).toEqual([{ image: 258, video: 263 }, String(picos)]);
});
