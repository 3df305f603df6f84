import { targetOf } from '../proof/targets.fixture';
import { translationFor } from '../translations';

const surfaces = ['openai-chat', 'anthropic-messages', 'openai-responses'] as const;
type Surface = (typeof surfaces)[number];

const message = (index: number) => ({
  role: index % 2 ? 'assistant' : 'user',
  content: 'x',
});
const listOf = <Item>(count: number, item: (index: number) => Item) => Array.from({ length: count }, (_, i) => item(i));
const bodyOf = (surface: Surface, turns: object[], more: object = {}) =>
  Buffer.from(
    JSON.stringify({
      model: 'm',
      max_tokens: 9,
      ...more,
      [surface === 'openai-responses' ? 'input' : 'messages']: turns,
    }),
  );
const prepare = (surface: Surface, turns: object[], more?: object) =>
  translationFor(surface, 'gemini')?.prepare(bodyOf(surface, turns, more), targetOf('gemini', false), {
    includeUsage: false,
  });

describe('a request of many messages', () => {
  it.each(surfaces)(
    'in the form of %s is translated up to 10,000, and beyond that refused with the number',
    (surface) => {
      expect(prepare(surface, listOf(10_000, message))?.request.body[0]?.length).toBeGreaterThan(10_000);
      expect(() => prepare(surface, listOf(10_001, message))).toThrow(
        /has 10001 messages or items.* at most 10000 can be/,
      );
    },
  );

  it('is known by the member that its surface has them in', () => {
    const more = { messages: [] };
    expect(() => prepare('openai-responses', listOf(10_001, message), more)).toThrow(/at most 10000/);
    const input = listOf(10_001, message);
    expect(prepare('openai-chat', [message(0)], { input })?.request.body[0]?.length).toBeGreaterThan(0);
  });

  it.each([
    ['openai-chat', 'text'],
    ['anthropic-messages', 'text'],
    ['openai-responses', 'input_text'],
  ] as const)('in the form of %s may have as many parts, and one of each is the message itself', (surface, type) => {
    const turns = (count: number) => [
      { role: 'user', content: listOf(count, () => ({ type, text: 'x' })) },
      { role: 'user', content: [{ type, text: 'x' }] },
    ];
    expect(prepare(surface, turns(9_999))?.request.body[0]?.length).toBeGreaterThan(10_000);
    expect(() => prepare(surface, turns(10_000))).toThrow(/has 10001 messages or items, counting each part/);
  });

  it('counts what stands in the results of tools and their calls, not the arguments of one', () => {
    const text = () => ({ type: 'text', text: 'x' });
    const result = { type: 'tool_result', tool_use_id: 'c', content: listOf(10_001, text) };
    expect(() => prepare('anthropic-messages', [{ role: 'user', content: [result] }])).toThrow(/has 10001/);
    const call = (id: number) => ({ id: `c${id}` });
    const calls = { role: 'assistant', content: null, tool_calls: listOf(10_001, call) };
    expect(() => prepare('openai-chat', [message(0), calls])).toThrow(/has 10002/);
    const use = { type: 'tool_use', id: 'c', name: 'f', input: { content: listOf(10_001, text) } };
    const turns = [message(0), { role: 'assistant', content: [use] }];
    expect(prepare('anthropic-messages', turns)?.request.body[0]?.length).toBeGreaterThan(10_000);
  });

  it('is translated up to 50,000 values, of a schema too, and beyond that refused before it is read', () => {
    const schema = (names: number) => ({
      tools: [
        { type: 'function', function: { name: 'f', parameters: { required: listOf(names, (index) => `n${index}`) } } },
      ],
    });
    expect(prepare('openai-chat', [message(0)], schema(49_900))?.request.body[0]?.length).toBeGreaterThan(49_900);
    const read = jest.spyOn(JSON, 'parse');
    expect(() => prepare('openai-chat', [message(0)], schema(50_001))).toThrow(/more than 50000 JSON values/);
    expect(read).not.toHaveBeenCalled();
    read.mockRestore();
  });

  it('passes unbounded where nothing is translated', () => {
    const own = translationFor('anthropic-messages', 'anthropic-messages');
    const body = bodyOf('anthropic-messages', listOf(20_000, message));
    const prepared = own?.prepare(body, targetOf('anthropic-messages', false), { includeUsage: false });
    expect(Buffer.concat(prepared?.request.body ?? []).length).toBeGreaterThan(20_000);
  });
});
