import type { ProviderDefinition } from '@tollgate/contracts/catalog';
import { dialectForTools } from '../canonical/tools-elsewhere';
import { translationFor } from '../translations';
import { parseRequestJson } from '../wire/request-json';
import { readRequest } from './read-request';
import { targetWith } from './target.fixture';

const messages = [{ role: 'user', content: 'hi' }];
const refuses = { chatDropFields: ['thinking', 'reasoning', 'usage'] };

function send(said: object, quirks: Partial<ProviderDefinition['quirks']> = refuses, efforts?: string[]) {
  const target = targetWith(false, quirks);
  target.model.capabilities.reasoning = true;
  if (efforts) target.model.reasoningEfforts = efforts;
  const body = Buffer.from(JSON.stringify({ model: 'a', messages, ...said }));
  const request = translationFor('openai-chat', 'openai-chat')?.prepare(body, target, { includeUsage: false }).request;
  return { sent: parseRequestJson(Buffer.concat(request?.body ?? [])), warnings: request?.warnings };
}

const plain = { model: 'large-2', messages };

describe('settings of other providers, at one that refuses them', () => {
  it.each<[string, object, object, string[]]>([
    ['an effort of OpenRouter', { reasoning: { effort: 'high' } }, { reasoning_effort: 'high' }, []],
    [
      'a budget of OpenRouter',
      { reasoning: { max_tokens: 9_000 } },
      { reasoning_effort: 'medium' },
      ["the reasoning budget became effort 'medium': chat completions take no budget"],
    ],
    ['reasoning off', { reasoning: { enabled: false } }, { reasoning_effort: 'none' }, []],
    ['thinking off', { thinking: { type: 'disabled' } }, { reasoning_effort: 'none' }, []],
    ['a wish for usage', { usage: { include: true } }, {}, []],
    [
      'an effort in two words',
      { reasoning: { effort: 'high' }, reasoning_effort: 'low' },
      { reasoning_effort: 'low' },
      ['reasoning was dropped: reasoning_effort says it'],
    ],
    [
      'what is none of reasoning',
      { reasoning: { effort: 'low', exclude: true } },
      { reasoning_effort: 'low' },
      ['reasoning.exclude was dropped: Acme does not take it'],
    ],
  ])('are said in its own words: %s', (_what, said, told, warnings) => {
    expect(send(said)).toEqual({ sent: { ...plain, ...told }, warnings });
  });

  it('are fitted to the efforts of the model, and to how it is told not to think', () => {
    expect(send({ reasoning: { effort: 'minimal' } }, refuses, ['low', 'high'])).toEqual({
      sent: { ...plain, reasoning_effort: 'low' },
      warnings: ["reasoning effort 'minimal' became 'low': this model knows low, high"],
    });
    const switched = { ...refuses, thinkingSwitch: { models: '.', member: 'enable_thinking' as const } };
    expect(send({ reasoning: { enabled: false } }, switched).sent).toEqual({ ...plain, enable_thinking: false });
  });

  it('pass where nobody knows that they are refused', () => {
    const said = { reasoning: { effort: 'high' }, usage: { include: true } };
    expect(send(said, {})).toEqual({ sent: { ...plain, ...said }, warnings: [] });
  });

  it('decide where tools are offered, as the effort itself does', () => {
    const rule = { dialect: 'openai-responses' as const, models: '.', callers: 'all' as const, unasked: false };
    const target = targetWith(false, { toolsElsewhere: [{ ...rule, efforts: [], always: false }] });
    const tools = [{ type: 'function', function: { name: 'f' } }];
    const asked = (said: object) =>
      dialectForTools('openai-chat', Buffer.from(JSON.stringify({ ...plain, tools, ...said })), target);
    expect([asked({}), asked({ reasoning: { effort: 'high' } })]).toEqual([null, 'openai-responses']);
  });
});

it('shows the usage of a stream to who asks for it as clients of OpenRouter do', () => {
  const includes = (said: object) => readRequest({ ...plain, stream: true, ...said }, 100).includeUsage;
  expect([{ usage: { include: true } }, { usage: { include: false } }, {}].map(includes)).toEqual([true, false, false]);
});
