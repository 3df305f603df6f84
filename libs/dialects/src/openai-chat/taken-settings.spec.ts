import type { ProviderDefinition } from '@tollgate/contracts/catalog';
import { translationFor } from '../translations';
import { isRecord } from '../wire/json-value';
import { parseRequestJson } from '../wire/request-json';
import { targetWith } from './target.fixture';

type Json = Record<string, unknown>;

const schema = { type: 'object', properties: { city: { type: 'string' } } };
const tool = { name: 'look_up', parameters: { type: 'object' } };
const hi = [{ role: 'user', content: 'hi' }];

/** The same wishes of a caller of each surface. */
const asked = {
  'openai-chat': {
    messages: hi,
    temperature: 1.9,
    response_format: { type: 'json_schema', json_schema: { name: 'a', description: 'a place', schema } },
    tools: [{ type: 'function', function: tool }],
    tool_choice: 'required',
    reasoning_effort: 'high',
  },
  'openai-responses': {
    input: 'hi',
    temperature: 1.9,
    text: { format: { type: 'json_schema', name: 'a', description: 'a place', schema } },
    tools: [{ type: 'function', ...tool }],
    tool_choice: { type: 'function', name: 'look_up' },
    reasoning: { effort: 'high' },
  },
} as const;

function send(surface: keyof typeof asked, quirks: Partial<ProviderDefinition['quirks']>, more: Json = {}) {
  const target = targetWith(false, quirks);
  target.model.capabilities.reasoning = true;
  target.model.inputModalities = ['text', 'image'];
  const body = Buffer.from(JSON.stringify({ model: 'a', ...asked[surface], ...more }));
  const request = translationFor(surface, 'openai-chat')?.prepare(body, target, { includeUsage: false }).request;
  const sent = parseRequestJson(Buffer.concat(request?.body ?? []));
  return { sent: isRecord(sent) ? sent : {}, warnings: request?.warnings ?? [] };
}

describe.each(['openai-chat', 'openai-responses'] as const)(
  'settings that a provider does not take (%s)',
  (surface) => {
    it('pass where it takes them', () => {
      const { sent, warnings } = send(surface, {});
      expect(sent).toMatchObject({
        temperature: 1.9,
        response_format: { type: 'json_schema' },
        reasoning_effort: 'high',
      });
      expect(warnings).toEqual([]);
    });

    it('are lowered: a temperature', () => {
      const { sent, warnings } = send(surface, { highestTemperature: 1.5 });
      expect(sent.temperature).toBe(1.5);
      expect(warnings).toEqual(['temperature 1.9 was clamped to 1.5: Acme takes 0 to 1.5']);
    });

    it('are told in words: a schema', () => {
      const { sent, warnings } = send(surface, { noJsonSchema: 'large' });
      expect(sent).toMatchObject({
        response_format: { type: 'json_object' },
        messages: [{ role: 'system', content: expect.stringContaining('"city"') as string }, { role: 'user' }],
      });
      expect(JSON.stringify(sent.messages)).toContain('a place');
      expect(warnings).toEqual(['the JSON schema was told in words and is not enforced: Acme takes JSON objects only']);
    });

    it('turn thoughts off: a tool that must be called', () => {
      const { sent, warnings } = send(surface, {
        noForceWhileThinking: '.',
        thinkingSwitch: { models: '.', member: 'thinking' },
      });
      const forced = surface === 'openai-chat' ? 'required' : { type: 'function', function: { name: 'look_up' } };
      expect(sent).toMatchObject({ thinking: { type: 'disabled' }, tool_choice: forced });
      expect(sent).not.toHaveProperty('reasoning_effort');
      expect(warnings).toEqual(['reasoning was turned off: this model cannot reason where it must call a tool']);
    });

    it('force nothing where a model always thinks', () => {
      const { sent, warnings } = send(surface, { noForceWhileThinking: '.' });
      expect(sent).toMatchObject({ tool_choice: 'auto', reasoning_effort: 'high' });
      expect(warnings).toEqual([
        "tool_choice became 'auto': this model always reasons, and cannot be made to call a tool then",
      ]);
    });

    it('are as they were for models of other names', () => {
      const { sent, warnings } = send(surface, { noJsonSchema: '^small', noForceWhileThinking: '^small' });
      expect(sent).toMatchObject({ response_format: { type: 'json_schema' }, reasoning_effort: 'high' });
      expect(warnings).toEqual([]);
    });
  },
);

it('forces a tool of a model that was told not to think', () => {
  const quirks = { noForceWhileThinking: '.', thinkingSwitch: { models: '.', member: 'thinking' as const } };
  const { sent, warnings } = send('openai-chat', quirks, { reasoning_effort: 'none' });
  expect(sent).toMatchObject({ tool_choice: 'required', thinking: { type: 'disabled' } });
  expect(warnings).toEqual([]);
});

describe('a tool that must be called, of a model that is told by `reasoning` not to think', () => {
  const quirks = { noForceWhileThinking: '.', thinkingSwitch: { models: '.', member: 'reasoning' as const } };
  const turnedOff = ['reasoning was turned off: this model cannot reason where it must call a tool'];

  it.each<[Json, Json, string[]]>([
    [{}, { enabled: false }, []],
    [{ reasoning: { enabled: false } }, { enabled: false }, []],
    [{ reasoning: { effort: 'none' } }, { effort: 'none', enabled: false }, []],
    [{ reasoning: { exclude: true } }, { exclude: true, enabled: false }, []],
    [{ reasoning: { exclude: true, enabled: true } }, { exclude: true, enabled: false }, turnedOff],
    [{ reasoning: { effort: 'high' } }, { effort: 'high', enabled: false }, turnedOff],
    [{ reasoning: { enabled: true }, reasoning_effort: 'none' }, { enabled: false }, turnedOff],
    [{ reasoning_effort: 'high' }, { enabled: false }, turnedOff],
  ])('is forced where it does not: %j', (said, reasoning, told) => {
    const { sent, warnings } = send('openai-chat', quirks, { reasoning_effort: undefined, ...said });
    expect([sent.tool_choice, sent.reasoning, warnings]).toEqual(['required', reasoning, told]);
    expect(sent).not.toHaveProperty('reasoning_effort');
  });

  it('is not held to think by what another provider calls so', () => {
    const other = { ...quirks, thinkingSwitch: { models: '.', member: 'thinking' as const } };
    const { sent } = send('openai-chat', other, { reasoning_effort: undefined, reasoning: { enabled: false } });
    expect(sent).toMatchObject({ tool_choice: 'required', thinking: { type: 'disabled' } });
  });
});

it('has images looked at as closely as chat completions can say', () => {
  const shown = { type: 'input_image', image_url: 'https://a.test/b.png', detail: 'original' };
  const { sent } = send('openai-responses', {}, { input: [{ role: 'user', content: [shown] }] });
  const image_url = { url: shown.image_url, detail: 'high' };
  expect(sent.messages).toEqual([{ role: 'user', content: [{ type: 'image_url', image_url }] }]);
});

it('has no message of thoughts that led to nothing, as a cancelled answer leaves them', () => {
  const thought = { type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: 'Hm.' }] };
  const asks = (content: string) => ({ role: 'user', content });
  const { sent, warnings } = send(
    'openai-responses',
    {},
    { input: [asks('a'), thought, asks('b'), thought, asks('c')] },
  );
  expect(sent.messages).toEqual([asks('a'), asks('b'), asks('c')]);
  expect(warnings.filter((warning) => warning.includes('led to'))).toEqual([
    'reasoning that led to nothing was dropped: Acme takes it only with what came of it',
  ]);
});

it('leaves out how a model is sampled that reasons and takes none, as Aider asks', () => {
  const target = targetWith(false);
  target.model.capabilities = { ...target.model.capabilities, reasoning: true, temperature: false };
  const sent = (more: Json) => {
    const body = Buffer.from(JSON.stringify({ model: 'a', messages: hi, temperature: 0, ...more }));
    return translationFor('openai-chat', 'openai-chat')?.prepare(body, target, { includeUsage: false }).request;
  };
  expect(parseRequestJson(Buffer.concat(sent({})?.body ?? []))).not.toHaveProperty('temperature');
  expect(sent({})?.warnings).toEqual(['temperature was dropped: Acme does not take it']);
  expect(sent({ reasoning_effort: 'none' })?.warnings).toEqual([]);
});

it('leaves out stop sequences for models that take none, as Claude Code asks, and tells it', () => {
  const ask = (upstreamModel: string, surface: 'openai-chat' | 'anthropic-messages') => {
    const target = { ...targetWith(false, { refusesStop: '^gpt-5' }), upstreamModel };
    const body = {
      model: 'a',
      messages: hi,
      max_tokens: 9,
      [surface === 'openai-chat' ? 'stop' : 'stop_sequences']: ['x'],
    };
    const prepare = translationFor(surface, 'openai-chat')?.prepare;
    const request = prepare?.(Buffer.from(JSON.stringify(body)), target, { includeUsage: false }).request;
    return [request?.warnings, parseRequestJson(Buffer.concat(request?.body ?? []))];
  };
  for (const surface of ['openai-chat', 'anthropic-messages'] as const) {
    expect(ask('gpt-5.4', surface)).toEqual([
      ['stop was dropped: Acme does not take it'],
      expect.not.objectContaining({ stop: ['x'] }),
    ]);
    expect(ask('gpt-4.1', surface)).toEqual([[], expect.objectContaining({ stop: ['x'] })]);
  }
});

describe('how a model is sampled that rests unasked', () => {
  const askOf = {
    'openai-chat': (effort?: string) => ({ messages: hi, reasoning_effort: effort }),
    'openai-responses': (effort?: string) => ({ input: 'hi', ...(effort && { reasoning: { effort } }) }),
  };
  const sampling = { temperature: 0, top_p: 0.5 };
  const written = (
    surface: 'openai-chat' | 'openai-responses',
    dialect: 'openai-chat' | 'openai-responses',
    name: { id: string; upstreamModel: string },
    effort?: string,
  ): Json => {
    const target = { ...targetWith(false), upstreamModel: name.upstreamModel };
    const capabilities = { ...target.model.capabilities, reasoning: true, temperature: false };
    const body = Buffer.from(JSON.stringify({ model: 'a', ...sampling, ...askOf[surface](effort) }));
    const request = translationFor(surface, dialect)?.prepare(
      body,
      { ...target, model: { ...target.model, id: name.id, capabilities } },
      { includeUsage: false },
    ).request;
    const sent = parseRequestJson(Buffer.concat(request?.body ?? []));
    return isRecord(sent) ? sent : {};
  };
  const named = (upstreamModel: string) => ({ id: `openai/${upstreamModel}`, upstreamModel });

  it.each([
    ['openai-chat', 'openai-chat'],
    ['openai-responses', 'openai-chat'],
    ['openai-chat', 'openai-responses'],
    ['openai-responses', 'openai-responses'],
  ] as const)('is kept until an effort is asked for (%s to %s)', (surface, dialect) => {
    const rests = named('gpt-5.4-mini');
    expect(written(surface, dialect, rests)).toMatchObject(sampling);
    expect(written(surface, dialect, rests, 'none')).toMatchObject(sampling);
    expect(written(surface, dialect, rests, 'low')).not.toHaveProperty('temperature');
    expect(written(surface, dialect, rests, 'low')).not.toHaveProperty('top_p');
  });

  it.each([named('gpt-5.1'), named('gpt-5.2-2025-12-11'), { id: 'azure/gpt-5.4', upstreamModel: 'ours' }])(
    'is kept for $id',
    (model) => {
      expect(written('openai-chat', 'openai-chat', model)).toMatchObject(sampling);
    },
  );

  it.each(['gpt-5', 'gpt-5-mini', 'gpt-5.2-pro', 'gpt-5.3-codex', 'gpt-5.5', 'gpt-5.10', 'gpt-6-luna'])(
    'is left out for %s, which reasons unasked',
    (model) => {
      expect(written('openai-chat', 'openai-chat', named(model))).not.toHaveProperty('temperature');
    },
  );
});
