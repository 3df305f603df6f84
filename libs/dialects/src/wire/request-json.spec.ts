import { GatewayError } from '@tollgate/contracts';
import fc from 'fast-check';
import { holdsMoreValues, parseRequestJson, repeatsNames } from './request-json';

const parse = (text: string) => parseRequestJson(Buffer.from(text));

function refusal(body: string | Uint8Array): string {
  try {
    parseRequestJson(typeof body === 'string' ? Buffer.from(body) : body);
  } catch (error) {
    expect(error).toBeInstanceOf(GatewayError);
    if (error instanceof GatewayError) {
      expect(error.status).toBe(400);
      return error.message;
    }
  }
  throw new Error('the body was accepted');
}

it('reads what JSON.parse reads, whatever the strings hold', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string({ minLength: 1 }), fc.jsonValue({ maxDepth: 5 })), (body) => {
      if (/__proto__|constructor/.test(JSON.stringify(body))) return;
      expect(parse(JSON.stringify(body))).toEqual(JSON.parse(JSON.stringify(body)));
    }),
  );
});

it('accepts and strips a byte order mark', () => expect(parse('\ufeff{"a":1}')).toEqual({ a: 1 }));

it.each([
  ['an empty body', '', /is empty/],
  ['a lone byte order mark', '\ufeff', /is empty/],
  ['an array', '[]', /must be a JSON object, not an array/],
  ['null', 'null', /not null/],
  ['a string', '"x"', /not a string/],
  ['a trailing comma', '{"a":\n 1,}', /malformed JSON at line 2, column 4 \(byte 9\)/],
  ['an end too early', '{"a":', /byte 5\): it ends too early/],
  ['something behind the object', '{} x', /byte 3/],
])('refuses %s, and says what is wrong', (_what, body, message) => expect(refusal(body)).toMatch(message));

it('refuses bytes that are not UTF-8', () => {
  expect(refusal(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]))).toMatch(/UTF-8/);
});

const nested = (depth: number) => `{"a":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;

it('accepts 64 levels and refuses 65, and 10 million without following them', () => {
  expect(parse(nested(64))).toBeDefined();
  expect(refusal(nested(65))).toMatch(/64 levels/);
  expect(refusal(nested(100_000))).toMatch(/64 levels/);
  expect(refusal(nested(10_000_000))).toMatch(/64 levels/);
});

const list = (items: readonly string[]) => `{"a":[${items.join()}]}`;
const items = (count: number, item: string) => list(new Array<string>(count).fill(item));

it.each(['[]', '{}', '1', '""', '[[]]', '{"a":1}', '[1,2]'])('bounds how many values of %s it builds', (item) => {
  const valuesEach = item === '[1,2]' ? 3 : /\[\[|1}/.test(item) ? 2 : 1;
  const most = Math.floor((200_000 - 2) / valuesEach);
  const filler = 'x'.repeat(256 * 1024);
  const filled = (count: number) => items(count, item).replace('{', `{"filler":"${filler}",`);
  expect(parse(filled(most - 1))).toBeDefined();
  expect(refusal(filled(most + 1))).toMatch(/more than 200000 JSON values/);
});

it('counts no values inside strings, and bounds what their names take in all', () => {
  expect(parse(`{"a":"${'[],'.repeat(300_000)}"}`)).toBeDefined();
  const named = (name: string) => list(new Array<string>(10_000).fill(`{"${name}" : 1}`));
  expect(parse(named('n'.repeat(100)))).toBeDefined();
  expect(refusal(named('n'.repeat(110)))).toMatch(/names .* 1048576 bytes/);
});

it('finds the end of a long string of escaped quotes', () => {
  expect(parse(`{"a":"${'\\"'.repeat(200_000)}"}`)).toEqual({ a: '"'.repeat(200_000) });
  expect(parse(`{"a":"${`${'x'.repeat(60)}\\"`.repeat(5_000)}\\\\"}`)).toBeDefined();
});

it('does not count brackets inside strings, behind escapes and long ones too', () => {
  const text = `${'\\"['.repeat(200)}${'x'.repeat(100)}\\\\`;
  const large = 'y'.repeat(300_000);
  expect(parse(`{"large":"${large}","a":"${text}","b":"\\\\","c":"${'['.repeat(100)}"}`)).toHaveProperty('b', '\\');
});

it('refuses names that could pollute prototypes, at any depth and however they are written', () => {
  expect(refusal('{"__proto__":{"x":1}}')).toMatch(/__proto__/);
  expect(refusal('{"a":[{"b":{"__pr\\u006fto__":1}}]}')).toMatch(/__proto__/);
  expect(refusal('{"a":{"constructor":{"prototype":{}}}}')).toMatch(/constructor\.prototype/);
});

it('accepts texts that speak of prototypes, and harmless constructors', () => {
  expect(parse('{"content":"what is __proto__ and constructor.prototype?","constructor":"Renault"}')).toBeDefined();
});

it('counts the values of a text as they are, where it has no spaces', () => {
  const countOf = (value: unknown): number =>
    1 +
    (typeof value === 'object' && value !== null
      ? Object.values(value).reduce<number>((sum, each) => sum + countOf(each), 0)
      : 0);
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
      const text = Buffer.from(JSON.stringify(value));
      const values = countOf(value);
      expect(holdsMoreValues(text, values)).toBe(false);
      expect(holdsMoreValues(text, values - 1)).toBe(values > 1 && text.length > values - 1);
    }),
  );
});

describe('arguments of calls, which are JSON in a text', () => {
  const called = (...texts: string[]) =>
    JSON.stringify({ messages: [{ tool_calls: texts.map((text) => ({ function: { arguments: text } })) }] });

  it('nest no deeper than the body may', () => {
    expect(parse(called(nested(64)))).toBeDefined();
    expect(refusal(called(nested(65)))).toBe(
      'The request body nests deeper than 64 levels within the arguments of a call.',
    );
    expect(refusal(called(` [${nested(5_000)}]`))).toMatch(/64 levels within/);
  });

  it('hold no more values than the body may, all of them together', () => {
    const half = items(99_000, '[]');
    expect(parse(called(half, half))).toBeDefined();
    expect(refusal(called(half, half, half))).toMatch(/more than 200000 JSON values/);
    expect(refusal(called(`{"${'n'.repeat(600_000)}":1}`, `{"${'n'.repeat(600_000)}":1}`))).toMatch(/names/);
  });

  it('are a text where they are none', () => expect(parse(called('[1'.slice(1) + '['.repeat(900)))).toBeDefined());
});

it.each([
  ['{"a":1,"b":{"a":":"},"c":[{"a":{}},[],{ }]}', false],
  ['{"a":1,"a":1}', true],
  ['{"a":{"b":"x","\\u0062":"y"}}', true],
  ['{"a":[{"b":1},{"b":1}]}', false],
])('%s names a member twice: %s', (json, repeats) =>
  expect(repeatsNames(Buffer.from(json), JSON.parse(json))).toBe(repeats),
);
