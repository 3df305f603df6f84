import { isDear } from './dear-body';

const listOf = (values: number) => Buffer.from(`{"a":[${new Array(values).fill(1).join()}]}`);

it.each([
  ['8,190 values beside their list and its object', listOf(8_190), false],
  ['one more', listOf(8_191), true],
  ['names of so many members', Buffer.from(JSON.stringify(Object.fromEntries(listOf(9_000).entries()))), true],
  ['signs in a text', Buffer.from(JSON.stringify({ a: '[{,:"'.repeat(9_000) })), false],
  ['half a mebibyte', Buffer.from(`"${'x'.repeat(524_286)}"`), false],
  ['a byte more', Buffer.from(`"${'x'.repeat(524_287)}"`), true],
])('%s', (_what, body, dear) => expect(isDear(body)).toBe(dear));
