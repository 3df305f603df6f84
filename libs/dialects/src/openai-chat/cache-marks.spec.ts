import { priceSheet } from '@tollgate/contracts/catalog';
import { translationFor } from '../translations';
import { isRecord } from '../wire/json-value';
import { parseRequestJson } from '../wire/request-json';
import { readUsage } from './read-usage';
import { targetWith } from './target.fixture';

const mark = { cache_control: { type: 'ephemeral' } };
const hour = { cache_control: { type: 'ephemeral', ttl: '1h' } };
const tool = { name: 'look_up', input_schema: { type: 'object' } };
const call = { type: 'tool_use', id: 'c1', name: 'look_up', input: {} };

/** As Claude Code marks it: instructions, and the newest turn. */
const asked = {
  system: [{ type: 'text', text: 'Be brief.', ...mark }],
  messages: [
    { role: 'user', content: [{ type: 'text', text: 'hi', ...mark }] },
    { role: 'assistant', content: [call] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: 'found', ...mark }] },
  ],
};

function send(cacheMarks: string | null, more: object = {}) {
  const target = targetWith(false, { cacheMarks });
  const body = Buffer.from(JSON.stringify({ model: 'a', max_tokens: 100, tools: [tool], ...asked, ...more }));
  const request = translationFor('anthropic-messages', 'openai-chat')?.prepare(body, target, {
    includeUsage: false,
  }).request;
  const sent = parseRequestJson(Buffer.concat(request?.body ?? []));
  return { messages: isRecord(sent) ? sent.messages : null, warnings: request?.warnings ?? [] };
}

describe('marks for the cache of callers of messages', () => {
  it('stay where they are at a model that takes them', () => {
    const { messages, warnings } = send('.');
    expect(messages).toEqual([
      { role: 'system', content: [{ type: 'text', text: 'Be brief.', ...mark }] },
      { role: 'user', content: [{ type: 'text', text: 'hi', ...mark }] },
      expect.objectContaining({ role: 'assistant', content: null }),
      { role: 'tool', tool_call_id: 'c1', content: [{ type: 'text', text: 'found', ...mark }] },
    ]);
    expect(warnings).toEqual([]);
  });

  it.each([null, '^other'])('are left out and told at others (%s)', (models) => {
    const { messages, warnings } = send(models);
    expect(JSON.stringify(messages)).not.toContain('cache_control');
    expect(warnings).toEqual(['cache control was dropped: providers of chat completions cache by themselves']);
  });

  it('are told where they stand at a tool, or last for an hour', () => {
    const { warnings } = send('.', { tools: [{ ...tool, ...mark }], system: [{ type: 'text', text: 'x', ...hour }] });
    expect(warnings).toEqual([
      'cache control of tools and their calls was dropped: the marks of this model stand in texts and results',
      'the hour in the cache became five minutes: the gateway asks for no hour in chat completions',
    ]);
  });
});

it('are paid for when they are written, as Alibaba tells it', () => {
  const details = { cached_tokens: 0, cache_creation_input_tokens: 1_605, cache_type: 'ephemeral' };
  const usage = { prompt_tokens: 3_019, completion_tokens: 1, total_tokens: 3_020, prompt_tokens_details: details };
  const written = readUsage(usage, undefined);
  expect(written).toMatchObject({ input: 3_019, cachedInput: 0, cacheWrite5m: 1_605 });
  expect(written?.served).toBeUndefined();
});

it('are told apart from what a provider keeps unasked when they are read', () => {
  const usage = (details: object) =>
    readUsage({ prompt_tokens: 3_019, completion_tokens: 1, prompt_tokens_details: details }, undefined);
  expect(usage({ cached_tokens: 1_605, cache_creation_input_tokens: 0, cache_type: 'ephemeral' })).toMatchObject({
    cachedInput: 1_605,
    served: { markedReads: true },
  });
  expect(usage({ cached_tokens: 1_605 })?.served).toBeUndefined();
});

describe('what a chat caller keeps for an hour at OpenRouter, which tells how much was written alone', () => {
  const usage = { prompt_tokens: 3_019, completion_tokens: 1, prompt_tokens_details: { cache_write_tokens: 1_605 } };
  const choices = [{ index: 0, message: { role: 'assistant', content: 'hi' }, finish_reason: 'stop' }];
  const chunk = [{ index: 0, delta: { content: 'hi' }, finish_reason: 'stop' }];

  const toolOf = (properties: object) => ({
    type: 'function',
    function: { name: 'f', parameters: { type: 'object', properties } },
  });
  const timer = toolOf({ every: { type: 'string', enum: ['1h', '4h'] } });
  const marker = toolOf({ cache_control: { type: 'string' } });

  interface Case {
    marks: readonly object[];
    more?: object;
    form?: 'openrouter' | null;
    cacheWrite1h?: string | null;
    stream?: boolean;
    maxOutputTokens?: number;
  }
  function written({ marks, more, form = 'openrouter', cacheWrite1h = '6', stream = false, maxOutputTokens }: Case) {
    const target = targetWith(stream);
    const { provider, model } = target;
    const bills = form === null ? null : { form, keyEnv: [] };
    const prices = priceSheet.parse({ input: '3', output: '15', cacheWrite5m: '3.75', cacheWrite1h });
    const content = marks.map((each) => ({ type: 'text', text: 'a \\"cache_control\\" of "1h"', ...each }));
    const body = Buffer.from(JSON.stringify({ model: 'a', stream, messages: [{ role: 'user', content }], ...more }));
    const at = { ...target, provider: { ...provider, bills }, model: { ...model, prices } };
    const reader = translationFor('openai-chat', 'openai-chat')
      ?.prepare(body, at, { includeUsage: false, maxOutputTokens })
      .answerReader();
    const text = stream
      ? `data: ${JSON.stringify({ choices: chunk, usage })}\n\ndata: [DONE]\n\n`
      : JSON.stringify({ choices, usage });
    reader?.push(Buffer.from(text));
    reader?.end();
    return [reader?.state, reader?.usage?.cacheWrite5m, reader?.usage?.cacheWrite1h];
  }

  it.each<[string, Case, number, number]>([
    ['is charged for an hour', { marks: [hour, {}, hour] }, 0, 1_605],
    ['streamed', { marks: [hour], stream: true }, 0, 1_605],
    ['with a limit of its output', { marks: [hour], stream: true, maxOutputTokens: 50 }, 0, 1_605],
    ['for five minutes without such a mark', { marks: [mark] }, 1_605, 0],
    ['for five minutes with marks of both kinds', { marks: [hour, mark] }, 1_605, 0],
    ['for five minutes with a tool that speaks of an hour', { marks: [mark], more: { tools: [timer] } }, 1_605, 0],
    ['for an hour with a tool that speaks of marks', { marks: [hour], more: { tools: [marker] } }, 0, 1_605],
    ['for an hour with a tool marked so', { marks: [{}], more: { tools: [{ ...timer, ...hour }] } }, 0, 1_605],
    ['for five minutes with a body marked so', { marks: [hour], more: mark }, 1_605, 0],
    ['for five minutes where the hour has no price', { marks: [hour], cacheWrite1h: null }, 1_605, 0],
    ['for five minutes at others, who keep nothing for longer', { marks: [hour], form: null }, 1_605, 0],
  ])('%s', (_, of, short, long) => {
    expect(written(of)).toEqual(['complete', short, long]);
  });
});
