import { isDearToGuard } from './dear-body';

const listOf = (values: number) => Buffer.from(`{"a":[${new Array(values).fill(1).join()}]}`);

it.each([
  ['126 values beside their list and its object', listOf(126), false],
  ['one more', listOf(127), true],
  ['64 KiB', Buffer.from(`"${'x'.repeat(65_534)}"`), false],
  ['a byte more', Buffer.from(`"${'x'.repeat(65_535)}"`), true],
])('for guardrails: %s', (_what, body, dear) => expect(isDearToGuard(body)).toBe(dear));
