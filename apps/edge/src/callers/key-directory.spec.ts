import type { CallerKey } from '@tollgate/contracts/accounts';
import { callerKey } from '../testing/fake-accounts';
import { FakeClock } from '../testing/fake-clock';
import { KeyDirectory } from './key-directory';

function setUp() {
  const clock = new FakeClock();
  const keys = new Map<string, CallerKey>();
  const state = { lookups: 0, isAway: false, revision: 0, patience: {} };
  const directory = new KeyDirectory(async (digest, _formerDigests, patience) => {
    state.lookups += 1;
    state.patience = patience;
    if (state.isAway) throw new Error('accounts is away');
    return { key: keys.get(digest) ?? null, revision: state.revision };
  }, clock);
  directory.heartbeat(0);
  return { clock, keys, state, directory };
}

const revoked = (version: number) => callerKey({ keyStatus: 'revoked', version });

describe('a known key', () => {
  it('is asked for once, and many first uses at once share that lookup', async () => {
    const { directory, keys, state } = setUp();
    keys.set('d', callerKey());
    await Promise.all(Array.from({ length: 50 }, async () => directory.find('d')));
    expect(directory.find('d')).toMatchObject({ id: 'key-1' });
    expect(state.lookups).toBe(1);
  });

  it('changes at once when accounts says so', async () => {
    const { directory, keys } = setUp();
    keys.set('d', callerKey());
    await directory.find('d');
    directory.change({ revision: 1, digest: 'd', key: revoked(2) });
    expect(directory.find('d')).toMatchObject({ keyStatus: 'revoked' });
    directory.change({ revision: 2, digest: 'd', key: null });
    expect(directory.find('d')).toBeNull();
  });

  it('keeps a change that was told while it was being asked for', async () => {
    const { directory, keys } = setUp();
    keys.set('d', callerKey());
    const asked = directory.find('d');
    directory.change({ revision: 1, digest: 'd', key: revoked(2) });
    expect(await asked).toMatchObject({ keyStatus: 'revoked' });
    expect(directory.find('d')).toMatchObject({ keyStatus: 'revoked' });
  });

  it.each([
    [
      'a change whose number leaves a gap',
      (directory: KeyDirectory) => directory.change({ revision: 7, digest: 'x', key: null }),
    ],
    ['a heartbeat that counts a change never heard', (directory: KeyDirectory) => directory.heartbeat(1)],
    ['a heartbeat that counts fewer changes than before', (directory: KeyDirectory) => directory.heartbeat(-1)],
  ])('is asked for again after %s', async (_, miss) => {
    const { directory, keys, state } = setUp();
    keys.set('d', callerKey());
    await directory.find('d');
    keys.set('d', revoked(2));
    miss(directory);
    expect(await directory.find('d')).toMatchObject({ keyStatus: 'revoked' });
    expect(state.lookups).toBe(2);
  });

  it('is asked for again after five seconds without a heartbeat, and after a lost connection, until accounts is heard', async () => {
    const { directory, keys, state, clock } = setUp();
    keys.set('d', callerKey());
    await directory.find('d');
    clock.advance(4_900);
    expect(directory.find('d')).not.toBeInstanceOf(Promise);
    clock.advance(200);
    await directory.find('d');
    expect(state.lookups).toBe(2);
    directory.heartbeat(0);
    expect(directory.find('d')).not.toBeInstanceOf(Promise);
    directory.disconnected();
    clock.advance(1_001);
    await directory.find('d');
    expect(state.lookups).toBe(3);
  });

  it('goes on for 15 minutes while accounts is away, counted from when accounts was last heard, then no longer', async () => {
    const { directory, keys, state, clock } = setUp();
    keys.set('d', callerKey());
    await directory.find('d');
    clock.advance(3_600_000);
    directory.heartbeat(0);
    state.isAway = true;
    clock.advance(14 * 60_000);
    expect(await directory.find('d')).toMatchObject({ id: 'key-1' });
    clock.advance(61_000);
    await expect(directory.find('d')).rejects.toMatchObject({ status: 503, retryAfterS: 2 });
    state.isAway = false;
    expect(await directory.find('d')).toMatchObject({ id: 'key-1' });
  });

  it('costs one lookup a second, not one a request, while accounts is away', async () => {
    const { directory, keys, state, clock } = setUp();
    keys.set('d', callerKey());
    await directory.find('d');
    state.isAway = true;
    clock.advance(6_000);
    for (let i = 0; i < 100; i++) await directory.find('d');
    expect(state.lookups).toBe(2);
  });

  it('tells when a key is no longer what it was, also one that only a push named', async () => {
    const { directory, keys } = setUp();
    const seen: [string, CallerKey | null][] = [];
    keys.set('d', callerKey());
    await directory.find('d');
    directory.onChange((digest, key) => seen.push([digest, key]));
    directory.change({ revision: 1, digest: 'd', key: revoked(2) });
    directory.change({ revision: 2, digest: 'other', key: null });
    expect(seen.map(([digest, key]) => [digest, key?.keyStatus])).toEqual([
      ['d', 'revoked'],
      ['other', undefined],
    ]);
  });
});

describe('an unknown key', () => {
  it('is asked for once, and works the moment accounts tells of it', async () => {
    const { directory, state } = setUp();
    expect(await directory.find('d')).toBeNull();
    expect(directory.find('d')).toBeNull();
    expect(state.lookups).toBe(1);
    directory.change({ revision: 1, digest: 'd', key: callerKey() });
    await directory.find('d');
    expect(state.lookups).toBe(2);
  });

  it('is neither right nor wrong while accounts is away: 503', async () => {
    const { directory, state } = setUp();
    state.isAway = true;
    await expect(directory.find('d')).rejects.toMatchObject({ status: 503 });
  });

  it('is waited for longer than one that may go on meanwhile', async () => {
    const { clock, directory, keys, state } = setUp();
    keys.set('d', callerKey());
    await directory.find('d');
    expect(state.patience).toEqual({ timeoutMs: 5_000 });
    clock.advance(10_000);
    await directory.find('d');
    expect(state).toMatchObject({ lookups: 2, patience: { timeoutMs: 900, absentMs: 0 } });
  });

  it('cannot flood accounts: lookups in flight are bounded', async () => {
    let asked = 0;
    const directory = new KeyDirectory(() => {
      asked += 1;
      return new Promise(() => undefined);
    }, new FakeClock());
    const refused: unknown[] = [];
    for (let i = 0; i < 2_000; i++)
      void Promise.resolve(directory.find(`d${i}`)).catch((error: unknown) => refused.push(error));
    await Promise.resolve();
    await new Promise(setImmediate);
    expect(asked).toBe(512);
    expect(refused).toHaveLength(2_000 - 512);
  });
});
