import { Passwords } from './passwords';

const passwords = new Passwords();
const password = 'correct horse battery';

it('knows a password again, and no other', async () => {
  const stored = await passwords.hash(password, 'ada@example.com');
  expect(stored).toMatch(/^\$argon2id\$/);
  expect(await passwords.matches(password, stored)).toBe(true);
  expect(await passwords.matches(`${password} `, stored)).toBe(false);
  expect(await passwords.matches('nobody has this password', null)).toBe(false);
});

it('refuses to wait for more than it can do', async () => {
  const tries = await Promise.allSettled(Array.from({ length: 70 }, () => passwords.matches('a guess', null)));
  const refused = tries.filter(({ status }) => status === 'rejected');
  expect(refused).toHaveLength(6);
  expect(refused[0]).toMatchObject({ reason: { code: 'unavailable' } });
  expect(await passwords.matches('a guess', null)).toBe(false);
}, 30_000);
