import { Breaker } from './breaker';

const patience = 4_000;
let now: number;
let breaker: Breaker;

beforeEach(() => {
  now = 1_000_000;
  breaker = new Breaker();
});

describe('a breaker', () => {
  it('is closed until it is opened, and then lets nothing through for five seconds', () => {
    expect(breaker.waitMs(now, false)).toBe(0);
    breaker.open(null, now);
    expect([breaker.state(now), breaker.waitMs(now, false), breaker.waitMs(now, true)]).toEqual(['open', 5_000, 5_000]);
    expect(breaker.state(now + 5_000)).toBe('half-open');
  });

  it('stays open for as long as it is told to', () => {
    breaker.open(20_000, now);
    expect(breaker.waitMs(now, false)).toBe(20_000);
  });

  it('lets three probes through at once, and whoever has no other place to go', () => {
    breaker.open(null, now);
    now += 5_000;
    for (let probe = 0; probe < 3; probe += 1) {
      expect(breaker.waitMs(now, false)).toBe(0);
      expect(breaker.begin(now, patience).probe).toBe(true);
    }
    expect(breaker.waitMs(now, false)).toBe(patience);
    expect(breaker.waitMs(now, true)).toBe(0);
  });

  it('closes with the first probe that is answered', () => {
    breaker.open(null, now);
    now += 5_000;
    breaker.begin(now, patience);
    expect(breaker.answered(breaker.begin(now, patience))).toBe(true);
    expect(breaker.state(now)).toBe('closed');
  });

  it('is not closed by what began before it opened', () => {
    const before = breaker.begin(now, patience);
    breaker.open(null, now);
    expect(breaker.isCurrent(before)).toBe(false);
    expect(breaker.answered(before)).toBe(false);
    expect(breaker.state(now)).toBe('open');
  });

  it('doubles its cool-down up to half a minute while it opens again, and begins anew once it was closed', () => {
    for (const coolDownMs of [5_000, 10_000, 20_000, 30_000, 30_000]) {
      breaker.open(null, now);
      expect(breaker.waitMs(now, false)).toBe(coolDownMs);
      now += coolDownMs;
    }
    breaker.answered(breaker.begin(now, patience));
    breaker.open(null, now);
    expect(breaker.waitMs(now, false)).toBe(5_000);
  });

  it('keeps nobody away for longer than five seconds who can go nowhere else, unless the provider asked for that', () => {
    for (let time = 0; time < 4; time += 1) breaker.open(null, now);
    expect([breaker.waitMs(now, false), breaker.waitMs(now, true)]).toEqual([30_000, 5_000]);
    expect([breaker.waitMs(now + 5_000, false), breaker.waitMs(now + 5_000, true)]).toEqual([25_000, 0]);
    expect(breaker.answered(breaker.begin(now + 5_000, patience))).toBe(true);
    expect(breaker.waitMs(now + 5_000, false)).toBe(0);
    breaker.open(20_000, now);
    expect(breaker.waitMs(now + 5_000, true)).toBe(15_000);
  });

  it('keeps nobody away longer than it is told to who can go nowhere else', () => {
    const own = new Breaker(1_000);
    for (let time = 0; time < 4; time += 1) own.open(null, now);
    expect([own.waitMs(now, false), own.waitMs(now, true)]).toEqual([30_000, 1_000]);
    own.open(20_000, now);
    expect(own.waitMs(now, true)).toBe(20_000);
  });

  it('tells of probes that were silent for too long, once, and closes all the same when one is answered after all', () => {
    breaker.open(null, now);
    now += 5_000;
    const probe = breaker.begin(now, patience);
    expect(breaker.takeSilentProbes(now + patience - 1)).toEqual([]);
    now += patience;
    expect(breaker.takeSilentProbes(now)).toEqual([probe]);
    expect(breaker.takeSilentProbes(now)).toEqual([]);
    breaker.open(null, now);
    expect(breaker.answered(probe)).toBe(true);
  });

  it('closes when nobody asked for twenty seconds', () => {
    breaker.open(null, now);
    expect(breaker.state(now + 24_999)).toBe('half-open');
    expect(breaker.state(now + 25_000)).toBe('closed');
    expect(breaker.waitMs(now + 25_000, false)).toBe(0);
  });

  it('that suspects silence lets probes through at once, and closes with the first answer of any that waited', () => {
    const waiting = breaker.begin(now, patience);
    breaker.suspect(now);
    expect([breaker.state(now), breaker.waitMs(now, false)]).toEqual(['half-open', 0]);
    expect(breaker.answered(waiting)).toBe(true);
  });
});
