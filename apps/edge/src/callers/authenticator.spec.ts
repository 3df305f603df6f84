import { apiKeyDigest, createApiKey } from '@tollgate/contracts';
import type { CallerKey } from '@tollgate/contracts';
import { callerKey } from '../testing/fake-accounts';
import { FakeClock } from '../testing/fake-clock';
import { Authenticator } from './authenticator';
import { KeyDirectory } from './key-directory';
import { presentedKey } from './presented-key';

const pepper = 'p'.repeat(40);

function setUp(key: CallerKey | null) {
  const clock = new FakeClock();
  const state = { lookups: 0 };
  const apiKey = createApiKey('tg');
  const directory = new KeyDirectory(async (digest) => {
    state.lookups += 1;
    return { key: digest === apiKeyDigest(apiKey, pepper) ? key : null, revision: 0 };
  }, clock);
  directory.heartbeat(0);
  return { clock, state, apiKey, authenticator: new Authenticator(directory, pepper, clock) };
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
  ])('of %j is %s', (headers, key) => {
    expect(presentedKey(headers)).toBe(key);
  });
});
