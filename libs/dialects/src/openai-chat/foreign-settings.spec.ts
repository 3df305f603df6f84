import type { ProviderDefinition } from '@tollgate/contracts/catalog';
import { z } from 'zod';
import { dialectForTools } from '../canonical/tools-elsewhere';
import { translationFor } from '../translations';
import { parseRequestJson } from '../wire/request-json';
import { readRequest } from './read-request';
import { targetWith } from './target.fixture';

const messages = [{ role: 'user', content: 'hi' }];
const refuses = { chatDropFields: ['thinking', 'reasoning', 'include_reasoning', 'usage'] };

function send(said: object, quirks: Partial<ProviderDefinition['quirks']> = refuses, efforts?: string[]) {
  const target = targetWith(false, quirks);
  target.model.capabilities.reasoning = true;
  if (efforts) target.model.reasoningEfforts = efforts;
  const body = Buffer.from(JSON.stringify({ model: 'a', messages, ...said }));
  const request = translationFor('openai-chat', 'openai-chat')?.prepare(body, target, { includeUsage: false }).request;
  return { sent: parseRequestJson(Buffer.concat(request?.body ?? [])), warnings: request?.warnings };
}

const plain = { model: 'large-2', messages };
const low = { reasoning_effort: 'low' };

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
    ['a wish for thoughts', { include_reasoning: true }, {}, []],
    ['a wish for none', { include_reasoning: false }, {}, ['include_reasoning was dropped: Acme does not take it']],
    [
      'an effort in two words',
      { reasoning: { effort: 'high' }, reasoning_effort: 'low' },
      { reasoning_effort: 'low' },
      ['reasoning was dropped: reasoning_effort says it'],
    ],
    ['nothing, beside an effort', { reasoning: null, reasoning_effort: 'low' }, { reasoning_effort: 'low' }, []],
    ['an effort beside one of nothing', { reasoning: { effort: 'low' }, reasoning_effort: null }, low, []],
    ['nothing at all', { reasoning: null, thinking: null, usage: null }, {}, []],
    [
      'what is none of reasoning',
      { reasoning: { effort: 'low', exclude: true } },
      { reasoning_effort: 'low' },
      ['reasoning.exclude was dropped: Acme does not take it'],
    ],
    [
      'a summary of reasoning',
      { reasoning: { effort: 'low', summary: 'auto' } },
      { reasoning_effort: 'low' },
      ['reasoning.summary was dropped: Acme does not take it'],
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

  it('are said by the member that turns thinking on, where there is one', () => {
    const on = { reasoning: { enabled: true } };
    const atSwitch = (member: 'thinking' | 'enable_thinking', efforts?: string[]) =>
      send(on, { chatDropFields: ['reasoning'], thinkingSwitch: { models: '.', member } }, efforts);
    expect(atSwitch('thinking')).toEqual({ sent: { ...plain, thinking: { type: 'enabled' } }, warnings: [] });
    expect(atSwitch('enable_thinking', [])).toEqual({ sent: { ...plain, enable_thinking: true }, warnings: [] });
    // An effort turns it on, too.
    expect(atSwitch('thinking', ['none', 'high']).sent).toEqual({ ...plain, reasoning_effort: 'high' });
  });

  it.each([
    ['reasoning', { reasoning: { enabled: true } }],
    ['thinking', { thinking: { type: 'enabled' } }],
  ])('are told as lost, by the name that was said, where nothing turns thinking on: %s', (name, said) => {
    const warnings = [`${name} was dropped: Acme cannot be told to turn it on here`];
    expect(send(said)).toEqual({ sent: plain, warnings });
    // It always thinks.
    expect(send(said, refuses, ['low', 'high'])).toEqual({ sent: plain, warnings: [] });
  });

  it('turn thinking on where there is a member for it, and no effort that the model knows', () => {
    const quirks = { ...refuses, thinkingSwitch: { models: '.', member: 'enable_thinking' as const } };
    expect(send({ reasoning: { effort: 'low', enabled: true } }, quirks, [])).toEqual({
      sent: { ...plain, enable_thinking: true },
      warnings: ["reasoning effort 'low' was dropped: this model knows none"],
    });
  });

  it('leave how much to think to a model that is told to think as it likes', () => {
    expect(send({ thinking: { type: 'adaptive' } })).toEqual({ sent: plain, warnings: [] });
  });

  it.each<['thinking' | 'enable_thinking', object]>([
    ['thinking', { thinking: { type: 'enabled' } }],
    ['enable_thinking', { enable_thinking: true }],
  ])("give way to what the caller says in the provider's own words: %s", (member, own) => {
    const quirks = { chatDropFields: ['reasoning'], thinkingSwitch: { models: '.', member } };
    const off = { reasoning: { enabled: false } };
    expect(send({ ...own, ...off }, quirks)).toEqual({
      sent: { ...plain, ...own },
      warnings: [`reasoning was dropped: ${member} says it`],
    });
    const sent = member === 'thinking' ? { thinking: { type: 'disabled' } } : { enable_thinking: false };
    expect(send({ [member]: null, ...off }, quirks)).toEqual({ sent: { ...plain, ...sent }, warnings: [] });
  });

  it('pass where nobody knows that they are refused', () => {
    const said = { reasoning: { effort: 'high' }, usage: { include: true } };
    expect(send(said, {})).toEqual({ sent: { ...plain, ...said }, warnings: [] });
  });

  it.each<[object, string | null]>([
    [{}, null],
    [{ reasoning: { effort: 'high' } }, 'openai-responses'],
    [{ reasoning: { max_tokens: 9_000 } }, 'openai-responses'],
    [{ reasoning: { enabled: true } }, 'openai-responses'],
    [{ thinking: { type: 'enabled', budget_tokens: 9_000 } }, 'openai-responses'],
    [{ reasoning: { enabled: false } }, null],
    [{ reasoning: { effort: 'none' } }, null],
    [{ reasoning: { effort: 'high', enabled: false } }, null],
    [{ thinking: { type: 'disabled' } }, null],
    [{ thinking: { type: 'disabled' }, reasoning_effort: 'low' }, 'openai-responses'],
    [{ reasoning: { effort: 'of my own' } }, null],
    [{ reasoning: null, thinking: null }, null],
  ])('decide where tools are offered, as the effort does that they become: %j', (said, dialect) => {
    const rule = { dialect: 'openai-responses' as const, models: '.', callers: 'all' as const, unasked: false };
    const toolsElsewhere = [{ ...rule, efforts: [], always: false }];
    const tools = [{ type: 'function', function: { name: 'f' } }];
    const body = Buffer.from(JSON.stringify({ ...plain, tools, ...said }));
    const target = targetWith(false, { ...refuses, toolsElsewhere });
    target.model.capabilities.reasoning = true;
    target.model.reasoningEfforts = ['none', 'low', 'medium', 'high'];
    expect(dialectForTools('openai-chat', body, target)).toBe(dialect);
    // What stays names no effort beside its tools but none.
    const passed = send({ tools, ...said }, refuses, target.model.reasoningEfforts).sent;
    expect(dialect === null ? [undefined, 'none'] : ['low', 'medium', 'high']).toContain(effortOf(passed));
  });

  it('leave tools where they are if they turn reasoning off, also where a request without any does not stay', () => {
    const rule = { dialect: 'openai-responses' as const, models: '.', callers: 'all' as const, unasked: true };
    const target = targetWith(false, { ...refuses, toolsElsewhere: [{ ...rule, efforts: [], always: false }] });
    const asked = (said: object) =>
      dialectForTools('openai-chat', Buffer.from(JSON.stringify({ ...plain, tools: [{}], ...said })), target);
    expect([asked({}), asked({ reasoning: { enabled: false } })]).toEqual(['openai-responses', null]);
  });
});

/** The effort that a request names. */
function effortOf(sent: unknown): unknown {
  return z.object({ reasoning_effort: z.string().optional() }).parse(sent).reasoning_effort;
}

it('shows the usage of a stream to who asks for it as clients of OpenRouter do', () => {
  const includes = (said: object) => readRequest({ ...plain, stream: true, ...said }, 100).includeUsage;
  expect([{ usage: { include: true } }, { usage: { include: false } }, {}].map(includes)).toEqual([true, false, false]);
});
