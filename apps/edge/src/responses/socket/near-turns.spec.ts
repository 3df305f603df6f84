import { RememberedTurns } from './near-turns';

/** All may remember 4,096 bytes, one key 1,024 of them. */
const remembering = () => new RememberedTurns({ bodyMemory: 16_384 });
const items = (bytes: number) => Buffer.alloc(bytes);

it('gives what it was told, until it is told to forget', () => {
  const turns = remembering();
  const entry = { keyId: 'a', items: Buffer.from('[]') };
  turns.keep('1', entry);
  expect(turns.find('1')).toBe(entry.items);
  turns.forget('1');
  expect(turns.find('1')).toBeNull();
});

it('lets what a key used longest ago make room for what is new of that key', () => {
  const turns = remembering();
  turns.keep('other', { keyId: 'b', items: items(500) });
  for (const name of ['1', '2']) turns.keep(name, { keyId: 'a', items: items(500) });
  turns.find('1');
  turns.keep('3', { keyId: 'a', items: items(500) });
  expect(['1', '2', '3', 'other'].map((name) => turns.find(name) !== null)).toEqual([true, false, true, true]);
});

it('keeps nothing that is larger than what a key may have, and no older one in its place', () => {
  const turns = remembering();
  turns.keep('1', { keyId: 'a', items: items(10) });
  turns.keep('1', { keyId: 'a', items: items(1_025) });
  expect(turns.find('1')).toBeNull();
});

it('never remembers more than its memory, whoever it is of', () => {
  const turns = remembering();
  for (let key = 0; key < 6; key++) turns.keep(`of ${key}`, { keyId: `${key}`, items: items(1_000) });
  expect([0, 1, 2, 3, 4, 5].map((key) => turns.find(`of ${key}`) !== null)).toEqual([
    ...[false, false],
    ...[true, true, true, true],
  ]);
});
