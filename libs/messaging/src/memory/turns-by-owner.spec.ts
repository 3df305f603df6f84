import { setImmediate as nextTurn } from 'node:timers/promises';
import { TurnsByOwner } from './turns-by-owner';
import type { Owner } from './turns-by-owner';

const owner = (accountId: string, keyId: string): Owner => ({ accountId, keyId });
const take = () => 'take' as const;

describe('those who wait in turns', () => {
  it('are taken account by account, and within each key by key', () => {
    const waiting = new TurnsByOwner<string>();
    for (const name of ['a1 first', 'a1 second', 'a1 third']) waiting.push(owner('a', '1'), name);
    waiting.push(owner('a', '2'), 'a2');
    waiting.push(owner('b', '1'), 'b1');
    const taken = Array.from({ length: 6 }, () => waiting.take(take));
    expect(taken).toEqual(['a1 first', 'b1', 'a2', 'a1 second', 'a1 third', null]);
  });

  it('are passed over key by key, and all wait where one is waited for', () => {
    const waiting = new TurnsByOwner<string>();
    waiting.push(owner('a', '1'), 'large');
    waiting.push(owner('a', '1'), 'behind it');
    waiting.push(owner('b', '1'), 'small');
    expect(waiting.take((item) => (item === 'large' ? 'wait' : 'take'))).toBeNull();
    expect(waiting.take((item) => (item === 'large' ? 'pass' : 'take'))).toBe('small');
    waiting.remove(owner('a', '1'), 'large');
    waiting.remove(owner('a', '1'), 'never there');
    expect(waiting.take(take)).toBe('behind it');
    waiting.remove(owner('a', '1'), 'behind it');
    expect(waiting.take(take)).toBeNull();
  });

  it('cost no more the more of one key wait, as each is looked for and leaves: else this takes minutes', async () => {
    const waiting = new TurnsByOwner<number>();
    const many = 50_000;
    for (let item = 1; item <= many; item++) waiting.push(owner('a', '1'), item);
    for (let item = 1; item <= many; item++) {
      if (item % 1_000 === 0) await nextTurn();
      waiting.remove(owner('a', '1'), item);
      expect(waiting.take(() => 'pass')).toBeNull();
    }
  });
});
