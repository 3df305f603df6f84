import type { SurfaceName } from '@tollgate/contracts';
import { targetWith } from '../openai-chat/target.fixture';
import { dialectForTools, hasOnly, toolTypesIn } from './tools-elsewhere';

const { provider, model } = targetWith(false, {
  toolsElsewhere: [
    { dialect: 'openai-responses', models: '^pro', callers: 'all', unasked: false, efforts: [], always: true },
    { dialect: 'openai-responses', models: '^new', callers: 'all', unasked: true, efforts: ['max'], always: false },
    { dialect: 'openai-responses', models: '^older', callers: 'all', unasked: false, efforts: [], always: false },
    { dialect: 'openai-responses', models: '^old', callers: 'translated', unasked: true, efforts: [], always: false },
  ],
});
const tools = [{}];

function asked(upstreamModel: string, body: object, surface: SurfaceName = 'openai-chat', reasoningEfforts?: string[]) {
  const target = { provider, upstreamModel, model: { ...model, reasoningEfforts } };
  return dialectForTools(surface, Buffer.from(JSON.stringify(body)), target);
}

describe('requests with tools', () => {
  it.each([
    ['new', { tools }, 'openai-responses'],
    ['new', { tools, reasoning_effort: 'low' }, 'openai-responses'],
    ['new', { tools, reasoning_effort: 'none' }, null],
    ['new', { tools: [], reasoning_effort: 'low' }, null],
    ['new', {}, null],
    ['new', { reasoning_effort: 'max' }, 'openai-responses'],
    ['new', { reasoning_effort: 'high' }, null],
    ['older', { tools }, null],
    ['older', { tools, reasoning_effort: 'low' }, 'openai-responses'],
    ['old', { tools, reasoning_effort: 'low' }, null],
    ['other', { tools, reasoning_effort: 'low' }, null],
  ])('of chat callers for %s with %j go to %s', (model, body, dialect) => {
    expect(asked(model, body)).toBe(dialect);
  });

  it.each([
    [{ tools }, 'openai-responses'],
    [{ tools, thinking: { type: 'adaptive' } }, 'openai-responses'],
    [{ tools, output_config: { effort: 'low' } }, 'openai-responses'],
    [{ tools, thinking: { type: 'disabled' } }, null],
  ])('of callers of a third dialect with %j go to %s', (body, dialect) => {
    expect(asked('old', body, 'anthropic-messages')).toBe(dialect);
  });

  it.each([
    [{ tools, thinking: { type: 'between_tools' } }, 'openai-responses'],
    [{ tools, thinking: { type: null } }, null],
  ])('name an effort by thinking of a type that nobody knows: %j goes to %s', (body, dialect) => {
    expect(asked('older', body)).toBe(dialect);
  });

  it('of callers of that dialect stay', () => {
    expect(asked('new', { tools }, 'openai-responses')).toBeNull();
  });

  it('go there also without an effort where the model always has one', () => {
    const body = { tools, reasoning_effort: 'none' };
    expect(asked('new', body, 'openai-chat', ['low', 'high'])).toBe('openai-responses');
    expect(asked('new', body, 'openai-chat', ['none', 'low'])).toBeNull();
  });
});

describe('models that one dialect alone has', () => {
  it.each([{}, { tools: [] }, { tools, reasoning_effort: 'none' }])('are asked in it: %j', (body) => {
    expect(asked('pro', body)).toBe('openai-responses');
    expect(asked('pro', body, 'anthropic-messages')).toBe('openai-responses');
    expect(asked('pro', body, 'openai-responses')).toBeNull();
  });

  it('are known by the rule that always holds', () => {
    const hasIt = (upstreamModel: string) => hasOnly('openai-responses', { provider, upstreamModel });
    expect([hasIt('pro'), hasIt('new')]).toEqual([true, false]);
    expect(hasOnly('openai-chat', { provider, upstreamModel: 'pro' })).toBe(false);
  });
});

describe('a body of very many values', () => {
  const values = new Array(150_000).fill({});

  it('is looked at without building any of them', () => {
    const parse = jest.spyOn(JSON, 'parse');
    const body = { metadata: values, tools: [{ type: 'custom' }, ...values], reasoning_effort: 'low' };
    expect(asked('older', body)).toBe('openai-responses');
    expect(toolTypesIn(Buffer.from(JSON.stringify(body)))).toEqual(['custom']);
    expect(Math.max(...parse.mock.calls.map(([text]) => text.length))).toBeLessThan(100);
    parse.mockRestore();
  });

  it('names an effort beside whatever else, and none that is no word', () => {
    const beside = { tools, output_config: { format: values, effort: 'low' } };
    expect(asked('older', beside, 'anthropic-messages')).toBe('openai-responses');
    expect(asked('older', { tools, reasoning_effort: values })).toBeNull();
  });
});

it('tells the types of the tools that are offered', () => {
  const types = (tools: unknown) => toolTypesIn(Buffer.from(`\ufeff ${JSON.stringify({ tools, type: 'no' })}`));
  expect(
    types([
      { type: 'function', function: { type: 'no' } },
      { type: 'web_search', type2: 1 },
      {},
      { type: 7 },
      7,
      'x',
      null,
    ]),
  ).toEqual(['function', 'web_search']);
  for (const none of [[], null, { type: 'no' }, 'x']) expect(types(none)).toEqual([]);
  expect(toolTypesIn(Buffer.from('{"tools":[],"tools":[{"type":"custom"}]}'))).toEqual(['custom']);
});
