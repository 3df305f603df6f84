import fc from 'fast-check';
import { listOf } from './json-walk';
import { membersOf, spliceObject } from './splice-object';
import type { ObjectEdits } from './splice-object';

function splice(text: string, edits: ObjectEdits): string {
  const bytes = Buffer.from(text);
  return spliceObject(bytes, membersOf(bytes), edits).toString('utf8');
}

it('changes a value and leaves spelling, order and white space of the rest alone', () => {
  const text = '{ "big" : 12345678901234567890 ,\n\t"model":"a" , "x" : 1.50 }';
  expect(splice(text, { set: { model: Buffer.from('"b"') } })).toBe(
    '{ "big" : 12345678901234567890 ,\n\t"model":"b" , "x" : 1.50 }',
  );
});

it('appends a member that is missing, also to an empty object', () => {
  expect(splice('{"a":1 }', { set: { a: ['[', '2', ']'].map((piece) => Buffer.from(piece)) } })).toBe('{"a":[2] }');
  expect(splice('{"a":1 }', { set: { b: Buffer.from('2') } })).toBe('{"a":1,"b":2 }');
  expect(splice('{ }', { set: { b: Buffer.from('2') } })).toBe('{ "b":2}');
});

it.each(['{"a":1 }', '{"b":2 }'])('takes a value in as many pieces as a list has: %s', (text) => {
  const items = Array.from({ length: 100_000 }, () => Buffer.from('2'));
  const { a } = JSON.parse(splice(text, { set: { a: listOf(items) } })) as { a: number[] };
  expect(a).toHaveLength(100_000);
});

it.each([
  ['{"a":1,"m":1,"m":2,"b":3}', '{"a":1,"m":9,"b":3}'],
  ['{"m":1,"m":2}', '{"m":9}'],
  ['{"m":1, "a":1, "m":2, "b":2}', '{"a":1, "m":9, "b":2}'],
])('leaves one of several duplicates of an owned member: %s', (text, expected) => {
  expect(splice(text, { set: { m: Buffer.from('9') } })).toBe(expected);
});

it('keeps the duplicate that JSON.parse reads', () => {
  expect(splice('{"t":5,"a":1,"t":1}', { single: ['t'] })).toBe('{"a":1,"t":1}');
});

it.each([
  ['{"d":1,"a":2}', '{"a":2}'],
  ['{"a":2,"d":1}', '{"a":2}'],
  ['{"d":1}', '{}'],
  ['{"a":1, "d":2, "d":3, "b":4}', '{"a":1, "b":4}'],
])('drops a member with its comma: %s', (text, expected) => {
  expect(splice(text, { drop: ['d'] })).toBe(expected);
});

it('renames a member and keeps its value', () => {
  expect(splice('{"max_tokens" : 5}', { rename: { max_tokens: 'max_completion_tokens' } })).toBe(
    '{"max_completion_tokens":5}',
  );
});

it('finds members whose names are written with escapes', () => {
  expect(splice('{"mod\\u0065l":"a"}', { set: { model: Buffer.from('"b"') } })).toBe('{"mod\\u0065l":"b"}');
});

it('is not fooled by members that are named like parts of Object', () => {
  expect(splice('{"constructor":1,"toString":2}', { set: {} })).toBe('{"constructor":1,"toString":2}');
});

/** A JSON object in odd but legal spelling: any white space, duplicates, big numbers. */
const space = fc.constantFrom('', ' ', '\n', '\t ', '\r\n');
const member = fc.tuple(
  fc.oneof(fc.constantFrom('model', 'a', 'b', 'stream_options', ''), fc.string()),
  fc.oneof(fc.json({ maxDepth: 3 }), fc.constantFrom('12345678901234567890123', '1.0', '-0', '1E5')),
  space,
  space,
  space,
);
const oddObject = fc.array(member, { maxLength: 8 });

it('lets everything but the owned member survive byte for byte', () => {
  fc.assert(
    fc.property(oddObject, space, (members, inside) => {
      const write = (list: typeof members) =>
        list.map(([name, value, a, b, c]) => `${a}${JSON.stringify(name)}${b}:${c}${value}`);
      const text = `{${inside}${write(members).join(',')}}`;
      const result = splice(text, { set: { model: Buffer.from('"upstream"') } });
      expect(JSON.parse(result)).toEqual({ ...(JSON.parse(text) as object), model: 'upstream' });
      const kept = (source: string) => {
        const bytes = Buffer.from(source);
        return membersOf(bytes)
          .filter(({ name }) => name !== 'model')
          .map(({ start, end }) => bytes.subarray(start, end).toString('utf8'));
      };
      expect(kept(result)).toEqual(kept(text));
      if (members.filter(([name]) => name === 'model').length === 0 && members.length > 0) {
        expect(result.startsWith(text.slice(0, -1))).toBe(true);
      }
    }),
    { numRuns: 500 },
  );
});
