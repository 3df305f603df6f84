import { apiKeyDigest, createApiKey, importedKeyDigest } from '@tollgate/contracts';
import type { CallerKey } from '@tollgate/contracts/accounts';
import { hash } from 'node:crypto';
import { callerKey } from '../testing/fake-accounts';
import { FakeClock } from '../testing/fake-clock';
import { Authenticator, presentedKey } from './authenticator';
import { KeyDirectory } from './key-directory';

const pepper = 'p'.repeat(40);

const formerPepper = 'f'.repeat(40);

function setUp(key: CallerKey | null, storedUnder = pepper, imported?: string) {
  const clock = new FakeClock();
  const state = { lookups: 0 };
  const apiKey = imported ?? createApiKey('tg');
  const stored =
    imported === undefined
      ? apiKeyDigest(apiKey, storedUnder)
      : importedKeyDigest(hash('sha256', imported), storedUnder);
  const directory = new KeyDirectory(async (digest, formerDigests) => {
    state.lookups += 1;
    return { key: [digest, ...formerDigests].includes(stored) ? key : null, revision: 0 };
  }, clock);
  directory.heartbeat(0, imported !== undefined);
  const authenticator = new Authenticator(directory, [pepper, formerPepper], clock);
  return { clock, state, apiKey, stored, directory, authenticator };
}

async function status(verify: () => unknown): Promise<number | undefined> {
  try {
    await verify();
    return undefined;
  } catch (error) {
    return (error as { status: number }).status;
  }
}

describe('authentication', () => {
  it.each([
    [{}, undefined],
    [{ keyStatus: 'revoked' }, 401],
    [{ expiresAt: 1 }, 401],
    [{ accountStatus: 'pending' }, 403],
    [{ accountStatus: 'suspended' }, 403],
    [{ accountStatus: 'declined' }, 403],
  ] as const)('answers a key with %j by %s', async (changes, expected) => {
    const { authenticator, apiKey } = setUp(callerKey(changes));
    expect(await status(() => authenticator.verify(apiKey))).toBe(expected);
  });

  it('refuses mistyped, overlong and missing keys without asking anybody', async () => {
    const { authenticator, apiKey, state } = setUp(callerKey());
    const mistyped = `${apiKey.slice(0, -1)}${apiKey.endsWith('a') ? 'b' : 'a'}`;
    for (const key of [mistyped, 'x'.repeat(60_000), '', "' OR 1=1 --", null])
      expect(await status(() => authenticator.verify(key))).toBe(401);
    expect(state.lookups).toBe(0);
  });

  describe('a key that is kept under a former pepper', () => {
    it('is taken, and asked for once', async () => {
      const { authenticator, apiKey, state } = setUp(callerKey(), formerPepper);
      expect(await status(() => authenticator.verify(apiKey))).toBeUndefined();
      expect(await status(() => authenticator.verify(apiKey))).toBeUndefined();
      expect(state.lookups).toBe(1);
    });

    it('is refused under any other', async () => {
      const { authenticator, apiKey } = setUp(callerKey(), 'x'.repeat(40));
      expect(await status(() => authenticator.verify(apiKey))).toBe(401);
    });

    it('stops when it is revoked, under whichever digest that is told', async () => {
      const { authenticator, apiKey, stored, directory } = setUp(callerKey(), formerPepper);
      const told: string[] = [];
      await authenticator.verify(apiKey);
      directory.onChange((digest) => told.push(digest));
      directory.change({ revision: 1, digest: stored, key: callerKey({ keyStatus: 'revoked', version: 2 }) });
      expect(await status(() => authenticator.verify(apiKey))).toBe(401);
      expect(told).toContain(apiKeyDigest(apiKey, pepper));
    });

    it('is asked for by all its digests again when changes were missed', async () => {
      const { authenticator, apiKey, directory } = setUp(callerKey(), formerPepper);
      await authenticator.verify(apiKey);
      directory.disconnected();
      directory.heartbeat(5);
      expect(await directory.find(apiKeyDigest(apiKey, pepper))).not.toBeNull();
    });
  });

  describe('a key that came over from another gateway', () => {
    const came = 'sk-1234';

    it.each([
      ['the pepper of today', pepper],
      ['a former one', formerPepper],
    ])('is taken, and asked for once, under %s', async (_which, storedUnder) => {
      const { authenticator, state } = setUp(callerKey(), storedUnder, came);
      for (let use = 0; use < 3; use++) expect(await status(() => authenticator.verify(came))).toBeUndefined();
      expect(state.lookups).toBe(1);
    });

    it('is told from its hash, from a key of our own form, and from a text that is longer than any', async () => {
      const { authenticator, state } = setUp(callerKey(), pepper, came);
      const sha256 = hash('sha256', came);
      for (const shown of [sha256, `sha256 ${sha256}`, 'tg_sk_1234', `sk-${'x'.repeat(126)}`, 'sk-', 'sk-a b'])
        expect(await status(() => authenticator.verify(shown))).toBe(401);
      expect(state.lookups).toBe(0);
      expect(await status(() => authenticator.verify('sk-12345'))).toBe(401);
      expect(state.lookups).toBe(1);
    });

    it('stops when it is revoked', async () => {
      const { authenticator, stored, directory } = setUp(callerKey(), pepper, came);
      await authenticator.verify(came);
      directory.change({ revision: 1, digest: stored, key: callerKey({ keyStatus: 'revoked', version: 2 }) });
      expect(await status(() => authenticator.verify(came))).toBe(401);
    });

    it('is asked for by nobody where accounts says that none ever came, and where it never said anything it is', async () => {
      const { authenticator, state, directory } = setUp(callerKey(), pepper, came);
      directory.heartbeat(0, false);
      expect(await status(() => authenticator.verify(came))).toBe(401);
      expect(state.lookups).toBe(0);
      expect(new KeyDirectory(() => Promise.reject(new Error('away')), new FakeClock()).hasImportedKeys).toBe(true);
    });
  });

  it('refuses a revoked key whose digest it remembers, and takes it again when it is active', async () => {
    const { authenticator, apiKey, stored, directory } = setUp(callerKey());
    await authenticator.verify(apiKey);
    for (const [version, keyStatus, expected] of [
      [1, 'active', undefined],
      [2, 'revoked', 401],
      [3, 'active', undefined],
    ] as const) {
      directory.change({ revision: version, digest: stored, key: callerKey({ keyStatus, version }) });
      for (let use = 0; use < 2; use++) expect(await status(() => authenticator.verify(apiKey))).toBe(expected);
    }
  });

  it('lets a key expire between two uses', async () => {
    const { authenticator, apiKey, clock } = setUp(callerKey({ expiresAt: Date.UTC(2026, 6, 15) + 1_000 }));
    await authenticator.verify(apiKey);
    clock.advance(1_000);
    expect(await status(() => authenticator.verify(apiKey))).toBe(401);
  });
});

describe('the key of a request', () => {
  it.each([
    [{ authorization: 'Bearer abc' }, 'abc'],
    [{ authorization: 'bearer  abc ' }, 'abc'],
    [{ 'x-api-key': 'abc' }, 'abc'],
    [{ authorization: 'Bearer abc', 'x-api-key': 'other' }, 'abc'],
    [{ authorization: 'Basic abc', 'x-api-key': 'other' }, null],
    [{ authorization: 'Bearer a b' }, null],
    [{ authorization: '' }, null],
    [{ 'x-api-key': 'a b' }, null],
    [{}, null],
    [{ 'x-bf-vk': 'sk-bf-one', authorization: 'Bearer sk-of-a-provider' }, 'sk-bf-one'],
    [{ 'x-litellm-api-key': 'Bearer sk-one', 'x-api-key': 'sk-ant-api' }, 'sk-one'],
    [{ 'x-portkey-api-key': 'its own', authorization: 'Bearer abc' }, 'abc'],
    [{ 'x-bf-vk': '' }, null],
  ])('of %j is %s', (headers, key) => {
    expect(presentedKey(headers)).toBe(key);
  });

  it('of our own form is taken from the header of another gateway’s client, too', () => {
    const { apiKey } = setUp(callerKey());
    expect(presentedKey({ 'x-portkey-api-key': apiKey, authorization: 'Bearer dummy' })).toBe(apiKey);
  });
});
