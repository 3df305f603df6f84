import { verify } from '@node-rs/argon2';
import { Passwords } from './passwords';

jest.mock('@node-rs/argon2', () => {
  const argon2 = jest.requireActual<typeof import('@node-rs/argon2')>('@node-rs/argon2');
  return { ...argon2, verify: jest.fn(argon2.verify) };
});

const passwords = new Passwords();
const password = 'correct horse battery';

it('knows a password again, and no other', async () => {
  const stored = await passwords.hash(password, 'ada@example.com');
  expect(stored).toMatch(/^\$argon2id\$/);
  expect(await passwords.matches(password, stored)).toBe(true);
  expect(await passwords.matches(`${password} `, stored)).toBe(false);
  expect(await passwords.matches('nobody has this password', null)).toBe(false);
});

it('does the same work for nobody as for a wrong password', async () => {
  const verified = jest.mocked(verify);
  verified.mockClear();
  await passwords.matches('a guess', await passwords.hash(password, 'ada@example.com'));
  await passwords.matches('a guess', null);
  // The kind of hash with its cost, which stands before its salt.
  const costs = verified.mock.calls.map(([stored]) => String(stored).split('$').slice(0, 4));
  expect(costs).toHaveLength(2);
  expect(costs[1]).toEqual(costs[0]);
});

it('refuses to wait for more than it can do', async () => {
  const tries = await Promise.allSettled(Array.from({ length: 70 }, () => passwords.matches('a guess', null)));
  const refused = tries.filter(({ status }) => status === 'rejected');
  expect(refused).toHaveLength(6);
  expect(refused[0]).toMatchObject({ reason: { code: 'unavailable' } });
  expect(await passwords.matches('a guess', null)).toBe(false);
});
