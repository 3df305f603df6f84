import type { CallerKey } from '@tollgate/contracts/accounts';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { KeyDirectory } from './key-directory';
import { OpenByKey } from './open-by-key';

/** A hundred things that are open with one key, and one with another; `revoke` takes the former key away. */
async function opened() {
  // None of what others end in this turn counts.
  await nextTurn();
  let revoke: (digest: string, key: CallerKey | null) => void = () => undefined;
  const directory = {
    onChange: (listener: typeof revoke) => void (revoke = listener),
    onMissed: () => undefined,
  } as unknown as KeyDirectory;
  const ended: { digest: string }[] = [];
  const open = new OpenByKey<{ digest: string }>(directory, (each) => void ended.push(each));
  const all = Array.from({ length: 100 }, () => ({ digest: 'revoked' }));
  for (const each of [...all, { digest: 'other' }]) open.add(each);
  return { open, all, ended, revoke: () => revoke('revoked', null) };
}

it('ends a few in a turn of the event loop of those that one key has open', async () => {
  const { all, ended, revoke } = await opened();
  revoke();
  const perTurn = [ended.length];
  for (let before = ended.length; before < all.length; before = ended.length) {
    await nextTurn();
    perTurn.push(ended.length - before);
  }
  expect(Math.max(...perTurn)).toBeLessThanOrEqual(16);
  expect(ended).toEqual(all);
});

it('ends nothing that is over when its turn comes', async () => {
  const { open, all, ended, revoke } = await opened();
  revoke();
  const [over] = all.slice(-1);
  if (over) open.remove(over);
  for (let turn = 0; turn < 10; turn++) await nextTurn();
  expect(ended).toEqual(all.slice(0, -1));
  expect(open.countOf('other')).toBe(1);
});
