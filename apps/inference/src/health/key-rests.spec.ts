import type { UpstreamError } from '@tollgate/dialects';
import { aModel, aProvider } from '../testing/fixtures';
import { providerEndpoint, type PooledKey } from '../upstream/provider-endpoint';
import { isAboutKey, KeyRests } from './key-rests';

const credential = { kind: 'key', key: 'one', more: ['two', 'three'] } as const;
const endpoint = providerEndpoint(aProvider(), 'http://acme.test/v1', credential);
const [deployment, other] = ['acme/one', 'acme/two'].map((id) => aModel({ id }).deployments[0]);
if (!deployment || !other) throw new Error('no deployment');
const here = { endpoint, deployment };
const there = { endpoint, deployment: other };
const none: ReadonlySet<PooledKey> = new Set();

const failed = (status: number | null, more: Partial<UpstreamError> = {}) => ({
  status,
  timedOut: false,
  error: { fault: status === 429 ? 'retryable' : 'ours', code: 'x', message: '', retryAfterS: null, ...more } as const,
});

function setUp() {
  let now = 1_000;
  const keys = new KeyRests(() => now);
  const choose = (place = here, caller = 'caller') => keys.choose(place, caller)?.apiKey;
  const refuse = (failure: ReturnType<typeof failed>, place = here) => {
    const key = keys.choose(place, 'caller');
    if (!key) throw new Error('no key');
    return { key: key.apiKey, restsMs: keys.refused(place, key, failure).restsMs };
  };
  return { keys, choose, refuse, pass: (ms: number) => (now += ms), now: () => now };
}

describe('the keys of a provider', () => {
  it('are shared out among callers, each of which keeps its own', () => {
    const { choose } = setUp();
    const chosen = Array.from({ length: 300 }, (_, index) => choose(here, `caller-${index}`));
    for (const key of ['one', 'two', 'three']) expect(chosen.filter((each) => each === key).length).toBeGreaterThan(70);
    expect(choose()).toBe(choose());
  });

  it('are told by their place, of how many they are, and apart from another one in that place', () => {
    const { refuse, keys } = setUp();
    refuse(failed(401));
    const [told] = keys.report();
    expect(told).toMatchObject({ of: 3, mark: expect.stringMatching(/^[0-9a-f]{4}$/) });
    const others = setUp();
    const pool = { kind: 'key', key: 'new', more: ['newer', 'newest'] } as const;
    const place = { endpoint: providerEndpoint(aProvider(), 'http://acme.test/v1', pool), deployment };
    const { key } = others.refuse(failed(401), place);
    expect(['new', 'newer', 'newest']).toContain(key);
    expect(others.keys.report()[0]?.mark).not.toBe(told?.mark);
  });

  it('are no choice where there is one, or none', () => {
    const single = providerEndpoint(aProvider(), 'http://acme.test/v1', { kind: 'key', key: 'one' });
    expect(setUp().keys.choose({ endpoint: single, deployment }, 'caller')).toBeNull();
  });

  it('rest at one place when out of limits, as long as the provider says, and take turns', () => {
    const { choose, refuse, keys, pass } = setUp();
    const own = choose();
    expect(refuse(failed(429, { retryAfterS: 20 }))).toEqual({ key: own, restsMs: 20_000 });
    expect(choose()).not.toBe(own);
    expect(choose(there)).toBe(own);
    expect(keys.report()).toMatchObject([{ provider: 'acme', deployment: deployment.id, status: 429 }]);
    pass(20_000);
    expect(choose()).toBe(own);
    expect(keys.report()).toEqual([]);
  });

  it('rest longer each time until they are served', () => {
    const { refuse, keys, pass, now } = setUp();
    const rests = [0, 0, 0, 0, 0].map(() => {
      const { restsMs } = refuse(failed(429));
      pass(restsMs);
      return restsMs;
    });
    expect(rests).toEqual([5_000, 10_000, 20_000, 40_000, 60_000]);
    const key = keys.choose(here, 'caller');
    if (key) keys.served(here, key, now());
    expect(refuse(failed(429)).restsMs).toBe(5_000);
  });

  it('rest once for a crowd that is refused at once, and are not woken by what had been sent before', () => {
    const { keys, pass, now } = setUp();
    const key = keys.choose(here, 'caller');
    if (!key) throw new Error('no key');
    const sentAtMs = now();
    pass(10);
    const isNew = [true, false, false];
    expect(isNew.map(() => keys.refused(here, key, failed(429)))).toEqual(
      isNew.map((each) => ({ restsMs: 5_000, isNew: each })),
    );
    keys.served(here, key, sentAtMs);
    expect(keys.report()).toHaveLength(1);
    keys.served(here, key, now());
    expect(keys.report()).toEqual([]);
  });

  it.each([401, 402, 429])('rest everywhere when refused with %d for what is ours, for a minute and more', (status) => {
    const { choose, refuse } = setUp();
    const own = choose();
    expect(refuse(failed(status, { fault: 'ours' }))).toEqual({ key: own, restsMs: 60_000 });
    expect([choose(), choose(there)]).not.toContain(own);
  });

  it.each([403, 404])('rest at one place alone when they may not have its model (%d)', (status) => {
    const { choose, refuse } = setUp();
    const own = choose();
    refuse(failed(status));
    expect(choose()).not.toBe(own);
    expect(choose(there)).toBe(own);
  });

  it('rest as long as the longest time that was named', () => {
    const { keys } = setUp();
    const key = keys.choose(here, 'caller');
    if (!key) throw new Error('no key');
    expect([30, 5, 40].map((retryAfterS) => keys.refused(here, key, failed(429, { retryAfterS })).restsMs)).toEqual([
      ...[30_000, 30_000, 40_000],
    ]);
  });

  it('are asked all the same when all rest, the one first that rests the shortest', () => {
    const { choose, refuse, keys } = setUp();
    const first = refuse(failed(429, { retryAfterS: 30 })).key;
    const second = refuse(failed(429, { retryAfterS: 10 })).key;
    refuse(failed(429, { retryAfterS: 40 }));
    expect(choose()).toBe(second);
    expect(first).not.toBe(second);
    expect(keys.awake(here, 'caller', none)).toBeUndefined();
    expect(keys.waitMs(here)).toBe(10_000);
  });

  it('are forgotten with their rest when another stands in their place', () => {
    const { choose, refuse, keys } = setUp();
    refuse(failed(429, { retryAfterS: 30 }));
    refuse(failed(401));
    keys.retain([endpoint]);
    expect(keys.report()).toHaveLength(2);
    keys.retain([providerEndpoint(aProvider(), 'http://acme.test/v1', { kind: 'key', key: 'new', more: ['newer'] })]);
    expect(keys.report()).toEqual([]);
    expect(choose()).toBeDefined();
  });
});

it.each([
  [failed(429), true],
  [failed(401), true],
  [failed(402), true],
  [failed(403), true],
  [failed(404), true],
  [failed(429, { fault: 'ours' }), true],
  [failed(400, { fault: 'ours' }), true],
  [failed(400, { fault: 'caller' }), false],
  [failed(403, { fault: 'caller' }), false],
  [failed(429, { aboutRequest: true }), false],
  [failed(500, { fault: 'retryable' }), false],
  [failed(529, { fault: 'retryable' }), false],
  [failed(null, { fault: 'retryable' }), false],
  [failed(null), false],
  [failed(302), false],
  [failed(405), false],
  [failed(410), false],
  [failed(415), false],
])('a failure is one of the key: %j %s', (failure, expected) => {
  expect(isAboutKey(failure)).toBe(expected);
});
