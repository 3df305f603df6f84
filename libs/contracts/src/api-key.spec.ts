import fc from 'fast-check';
import { apiKeyDigest, apiKeyDisplay, createApiKey, isApiKey } from './api-key';

const pepper = 'a pepper of at least thirty-two characters';
const prefixes = fc.stringMatching(/^[a-z][a-z0-9]{0,15}$/);

describe('an API key', () => {
  it('has the documented form and carries at least 160 random bits', () => {
    const key = createApiKey('tg');
    const secret = /^tg_sk_([0-9A-Za-z]+)_[0-9A-Za-z]{6}$/.exec(key)?.[1] ?? '';
    expect(secret.length * Math.log2(62)).toBeGreaterThanOrEqual(160);
  });

  it('is recognised whatever its prefix', () => {
    fc.assert(fc.property(prefixes, (prefix) => isApiKey(createApiKey(prefix))));
  });

  it.each(['', 'TG', '1tg', 'tg_', 'a-b', 'ä', 'a'.repeat(17)])(
    'is never made with the unusable prefix %j',
    (prefix) => {
      expect(() => createApiKey(prefix)).toThrow(RangeError);
    },
  );

  it('is new every time', () => {
    expect(new Set(Array.from({ length: 2_000 }, () => createApiKey('tg'))).size).toBe(2_000);
  });

  it('uses every base62 character about equally often', () => {
    const secrets = Array.from({ length: 4_000 }, () => createApiKey('tg').slice(6, 36)).join('');
    const counts = new Map<string, number>();
    for (const character of secrets) counts.set(character, (counts.get(character) ?? 0) + 1);
    const mean = secrets.length / 62;
    expect(counts.size).toBe(62);
    // About 1,935 of each, standard deviation 44: a quarter off would take a bias such as `byte % 62` makes.
    for (const count of counts.values()) expect(Math.abs(count - mean)).toBeLessThan(mean / 6);
  });
});

describe('the checksum', () => {
  it('refuses a key with one character mistyped, without a lookup', () => {
    const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
    fc.assert(
      fc.property(fc.nat(29), fc.constantFrom(...alphabet), (position, character) => {
        const key = createApiKey('tg');
        const at = 'tg_sk_'.length + position;
        const mistyped = key.slice(0, at) + character + key.slice(at + 1);
        return mistyped === key || !isApiKey(mistyped);
      }),
    );
  });

  it('refuses a key with two neighbouring characters swapped', () => {
    fc.assert(
      fc.property(fc.nat(28), (position) => {
        const key = createApiKey('tg');
        const at = 'tg_sk_'.length + position;
        const swapped = key.slice(0, at) + key.charAt(at + 1) + key.charAt(at) + key.slice(at + 2);
        return swapped === key || !isApiKey(swapped);
      }),
    );
  });

  it('covers the prefix too', () => {
    expect(isApiKey(createApiKey('tg').replace(/^tg/, 'th'))).toBe(false);
  });

  it('never accepts arbitrary text', () => {
    fc.assert(fc.property(fc.uint16Array(), (units) => !isApiKey(String.fromCharCode(...units))));
  });

  it.each([
    ['white space around it', (key: string) => ` ${key}`],
    ['a line feed after it', (key: string) => `${key}\n`],
    ['a header smuggled behind it', (key: string) => `${key}\r\nx-admin: 1`],
    ['SQL behind it', (key: string) => `${key}' OR '1'='1`],
    ['a NUL behind it', (key: string) => `${key}\0`],
    ['itself twice', (key: string) => key + key],
    ['64 KiB behind it', (key: string) => key + 'A'.repeat(65_536)],
  ])('refuses a right key with %s', (_what, spoil) => {
    expect(isApiKey(spoil(createApiKey('tg')))).toBe(false);
  });
});

describe('what is stored and shown of a key', () => {
  it('is a digest that depends on the key and on the pepper', () => {
    const [one, other] = [createApiKey('tg'), createApiKey('tg')];
    expect(apiKeyDigest(one, pepper)).toMatch(/^[0-9a-f]{64}$/);
    expect(apiKeyDigest(one, pepper)).toBe(apiKeyDigest(one, pepper));
    expect(apiKeyDigest(one, pepper)).not.toBe(apiKeyDigest(other, pepper));
    expect(apiKeyDigest(one, pepper)).not.toBe(apiKeyDigest(one, `${pepper}.`));
  });

  it('is HMAC-SHA-256, so that a digest stays valid across versions of the code', () => {
    // echo -n 'tg_sk_key' | openssl dgst -sha256 -hmac pepper
    expect(apiKeyDigest('tg_sk_key', 'pepper')).toBe(
      '5638d0e345c39fffb3a446357aa871def4908399b8852f8150c5216cb772c95b',
    );
  });

  it('is a display form that holds the prefix and the last four characters, and nothing of the secret', () => {
    fc.assert(
      fc.property(prefixes, (prefix) => {
        const key = createApiKey(prefix);
        return apiKeyDisplay(key) === `${prefix}_sk_…${key.slice(-4)}`;
      }),
    );
  });
});
