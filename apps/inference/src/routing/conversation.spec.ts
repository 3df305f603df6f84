import { JsonCursor } from '@tollgate/dialects';
import { conversationOf } from './conversation';

const of = (body: object) => conversationOf({ body: Buffer.from(JSON.stringify(body)) });
const system = { role: 'system', content: 'Be "brief".' };
const first = { role: 'user', content: 'Which {river}?' };
const more = [
  { role: 'assistant', content: 'The Rhine.' },
  { role: 'user', content: 'Why?' },
];

describe('a conversation', () => {
  it.each([
    ['chat completions', { model: 'm', messages: [system, first] }, { model: 'm', messages: [system, first, ...more] }],
    ['messages', { system: 'x', messages: [first], max_tokens: 1 }, { system: 'x', messages: [first, ...more] }],
    ['responses', { instructions: 'x', input: [first] }, { instructions: 'x', input: [first, ...more], store: false }],
  ])('is the same one at its next turn, in %s', (_, turn, next) => {
    expect(of(turn)).toBe(of(next));
    expect(of(turn)).toContain('river');
  });

  it('is another one with other instructions or another first question', () => {
    const one = of({ messages: [system, first] });
    expect(of({ messages: [{ ...system, content: 'Be long.' }, first] })).not.toBe(one);
    expect(of({ messages: [system, { ...first, content: 'Which sea?' }] })).not.toBe(one);
    expect(of({ system: 'x', messages: [first] })).not.toBe(of({ system: 'y', messages: [first] }));
  });

  it('is the same one where its first question is longer than what is looked at', () => {
    const long = { role: 'user', content: '"'.repeat(100_000) };
    expect(of({ messages: [long] })).toBe(of({ messages: [long, ...more] }));
  });

  it('keeps its place when a cache mark moves on, and when a text becomes a block', () => {
    const cache_control = { type: 'ephemeral' };
    const block = (text: string, mark: object = {}) => [{ type: 'text', text, ...mark }];
    const turn = of({ system: 'x', messages: [{ role: 'user', content: block('y', { cache_control }) }] });
    expect(of({ system: block('x', { cache_control }), messages: [{ role: 'user', content: 'y' }] })).toBe(turn);
    expect(of({ system: block('x'), messages: [{ content: block('y'), role: 'user' }, ...more] })).toBe(turn);
    expect(of({ system: block('z'), messages: [{ role: 'user', content: 'y' }] })).not.toBe(turn);
  });

  // https://github.com/anthropics/claude-code/issues/68900
  it('does not change with what Claude Code tells Anthropic before its instructions', () => {
    const line = (hash: string) => `x-anthropic-billing-header: cc_version=2.1.177.01c; cch=${hash};`;
    const text = (said: string) => ({ type: 'text', text: said });
    const ask = (system: unknown) => of({ system, messages: [first] });
    const plain = ask('Be brief.\nDo.');
    expect(ask([text(line('36ee5')), text('Be brief.\nDo.')])).toBe(plain);
    expect(ask([text(line('a01f2')), text('Be brief.\nDo.')])).toBe(plain);
    expect(ask(`${line('36ee5')}\n\nBe brief.\nDo.`)).toBe(plain);
    expect(ask([text(line('36ee5')), text('Be long.')])).not.toBe(plain);
  });

  it('is told from others by instructions and questions of any length that is looked at', () => {
    const long = { role: 'system', content: 'x'.repeat(30_000) };
    const talk = (text: string) => of({ messages: [long, { role: 'user', content: 'y'.repeat(30_000) + text }] });
    expect(talk('one')).not.toBe(talk('two'));
  });

  it('is found behind tools whose fields have the names of its own', () => {
    const properties = { prompt: { type: 'string' }, input: 'none', messages: [{ role: 'user', content: 'none' }] };
    const tools = [{ name: 'ask', input_schema: { type: 'object', properties } }];
    expect(of({ tools, prompt: { id: 'p' }, messages: [first] })).toBe(of({ messages: [first] }));
  });

  it('begins with all that is said before the first answer', () => {
    const surroundings = { role: 'user', content: '<cwd>/home</cwd>' };
    const talk = (...messages: object[]) =>
      of({ input: [{ role: 'developer', content: 'x' }, surroundings, ...messages] });
    expect(talk(first, ...more)).toBe(talk(first));
    expect(talk(first, { type: 'reasoning', summary: [] }, ...more)).toBe(talk(first));
    expect(talk(first, { role: 'system', content: 'Be brief for now.' })).toBe(talk(first));
    expect(talk({ role: 'user', content: 'Which sea?' })).not.toBe(talk(first));
  });

  it('does not change with what stands behind its messages', () => {
    const answer = { content: 'z'.repeat(100_000), role: 'assistant' };
    expect(of({ messages: [first, answer], system: 'x' })).toBe(of({ messages: [first], system: 'x' }));
  });

  it.each([
    '{"messages":"',
    'x{"messages":"',
    '{"messages":[{"role":"user","content":"',
    '{"messages":[[{"role":"user","content":"',
  ])('is looked for in one pass where the look ends inside an escape or between two: %s', (head) => {
    const peek = jest.spyOn(JsonCursor.prototype, 'peek');
    const skip = jest.spyOn(JsonCursor.prototype, 'skip');
    for (const parity of ['', ' ']) conversationOf({ body: Buffer.from(head + parity + '\\"'.repeat(50_000)) });
    // Each token is begun at once, and all quotes of the text are in one.
    expect(peek.mock.calls.length).toBeGreaterThan(0);
    expect(peek.mock.calls.length).toBeLessThan(40);
    expect(skip.mock.calls.length).toBeLessThanOrEqual(4);
    jest.restoreAllMocks();
  });

  it.each(['', '[', '{', '{"messages"', '{"messages":', '{"messages":[{"role":"user"', '['.repeat(60_000)])(
    'is none in what is cut off or no request: %.30s',
    (text) => {
      expect(conversationOf({ body: Buffer.from(text) })).toBe('');
      expect(conversationOf({ body: Buffer.from(`{"input":{"a":${text}`) })).toBe('');
    },
  );

  it('takes the part of a text that the look ends in', () => {
    const cut = (text: string) => conversationOf({ body: Buffer.from(`{"messages":[{"content":"${text}`) });
    expect([cut('Which riv'), cut('Which \\u00')]).toEqual(['Which riv', 'Which \\u00']);
  });

  it('is known by a text alone', () => {
    expect(of({ prompt: ['def f', 'def g'] })).toBe('def f');
    expect(of({ prompt: [1, 2] })).toBe('');
    expect(of({ prompt: 'def f' })).toContain('def f');
    expect(of({ input: 'Hello', stream: true })).toBe(of({ input: 'Hello' }));
    expect(of({ model: 'm' })).toBe('');
  });
});
