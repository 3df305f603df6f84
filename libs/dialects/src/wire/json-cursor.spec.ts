import fc from 'fast-check';
import { JsonCursor, JsonDepthError, JsonSyntaxError } from './json-cursor';

function isAccepted(text: string): boolean {
  try {
    const cursor = new JsonCursor().reset(Buffer.from(text));
    cursor.skip();
    cursor.finish();
    return true;
  } catch (error) {
    if (error instanceof JsonSyntaxError) return false;
    throw error;
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

it.each([
  '{}',
  '[]',
  ' { "a" : [ 1 , -2.5e+10 , true , false , null , "x\\u00e9\\n" ] } ',
  '"\\ud83d\\ude00"',
  '0',
  '-0.0E-1',
  '{"a":1,"a":2}',
])('accepts %s', (text) => expect(isAccepted(text)).toBe(true));

it.each([
  '',
  ' ',
  '{',
  '{"a"}',
  '{"a":}',
  '{"a":1,}',
  '{a:1}',
  '[1,]',
  '[1 2]',
  '01',
  '1.',
  '.5',
  '+1',
  '1e',
  '-',
  'nul',
  'truex',
  '"a',
  '"\\x"',
  '"\\u12g4"',
  '"\n"',
  '{} {}',
  "{'a':1}",
  'NaN',
])('refuses %j', (text) => expect(isAccepted(text)).toBe(false));

it('agrees with JSON.parse about any document, and about any document with one byte changed', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 4 }), fc.nat(), fc.constantFrom(...'{}[]",:\\0e-.ntf x'), (text, at, character) => {
      expect(isAccepted(text)).toBe(true);
      const changed = text.slice(0, at % text.length) + character + text.slice((at % text.length) + 1);
      expect(isAccepted(changed)).toBe(isJson(changed));
    }),
    { numRuns: 500 },
  );
});

it('tells the first byte that does not fit', () => {
  expect(() => new JsonCursor().reset(Buffer.from('{"a":1,}')).skip()).toThrow(new JsonSyntaxError(7));
});

it('stops at its depth limit rather than at the end of the stack', () => {
  expect(() => new JsonCursor().reset(Buffer.from('['.repeat(100_000))).skip()).toThrow(JsonDepthError);
});

it('decodes member names that are written with escapes', () => {
  const cursor = new JsonCursor().reset(Buffer.from('{"mod\\u0065l":1}'));
  expect(cursor.enterObject()).toBe(true);
  expect(cursor.key()).toBe('model');
});

it('passes text that was parsed before as it passes any, however long its strings and whatever is escaped in them', () => {
  const long = fc
    .array(fc.constantFrom('\\', '"', 'plain words', '\n', 'é', '{', ','), { minLength: 0, maxLength: 60 })
    .map((pieces) => pieces.join(''));
  fc.assert(
    fc.property(fc.array(fc.dictionary(long, long)), (value) => {
      const bytes = Buffer.from(JSON.stringify(value));
      const endOf = (cursor: JsonCursor) => {
        cursor.reset(bytes).skip();
        return cursor.valueEnd;
      };
      expect(endOf(new JsonCursor(undefined, true))).toBe(endOf(new JsonCursor()));
    }),
  );
  expect(() => new JsonCursor(undefined, true).reset(Buffer.from(`"${'x'.repeat(99)}\\"`)).skip()).toThrow(
    JsonSyntaxError,
  );
});
