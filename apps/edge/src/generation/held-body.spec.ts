import { FairMemory } from '@tollgate/messaging';
import { InnerRequest } from './inner-exchange';
import { readBody } from './read-body';
import { isDearToGuard } from './held-body';

const mebibyte = 1_048_576;

it('gives memory back that a request went on from, where it is large', async () => {
  const owner = { keyId: 'key', accountId: 'account' };
  const room = { limit: 10, memory: new FairMemory(mebibyte), owner };
  const held = await readBody(new InnerRequest('/', {}, Buffer.from('{}')), room);
  const [large, small] = [Buffer.allocUnsafeSlow(2 * mebibyte), Buffer.from('small, among others')];
  const beside = large.subarray(10);
  for (const bytes of [beside, small]) held.free(bytes);
  expect([large.length, beside.length, small.toString()]).toEqual([0, 0, 'small, among others']);
  held.release();
});

const listOf = (values: number) => Buffer.from(`{"a":[${new Array(values).fill(1).join()}]}`);

it.each([
  ['126 values beside their list and its object', listOf(126), false],
  ['one more', listOf(127), true],
  ['64 KiB', Buffer.from(`"${'x'.repeat(65_534)}"`), false],
  ['a byte more', Buffer.from(`"${'x'.repeat(65_535)}"`), true],
])('for guardrails: %s', (_what, body, dear) => expect(isDearToGuard(body)).toBe(dear));
