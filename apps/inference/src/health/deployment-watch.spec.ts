import { DeploymentWatch, FirstAnswerTimes } from './deployment-watch';

describe('for how long a deployment is left alone', () => {
  const caller = { key: 'key-a', account: 'account-a' };
  const other = { key: 'key-b', account: 'account-b' };
  const colleague = { ...caller, key: 'key-of-a-colleague' };
  let watch: DeploymentWatch;
  beforeEach(() => (watch = new DeploymentWatch('acme', true)));

  function fail(now: number, who = caller, times = 1): void {
    const permits = Array.from({ length: times }, () => watch.begin(who, now));
    for (const permit of permits) watch.failed(permit, { status: 500, retryAfterMs: null, again: false }, now);
  }

  function answer(now: number, who: typeof caller): void {
    const permit = watch.begin(who, now);
    watch.answering(permit);
    watch.answered(permit, now);
  }

  it('is told from its first failure on, however often it opens again meanwhile', () => {
    fail(0, caller, 5);
    fail(0, other);
    for (let now = 5_000; now <= 65_000; now += 5_000) {
      fail(now, now % 10_000 === 0 ? caller : other);
      expect(watch.standing(now)).toMatchObject({ callers: null, since: 0 });
    }
    answer(70_000, other);
    expect(watch.standing(70_000)).toMatchObject({ state: 'closed', since: null });
    fail(71_000, caller, 5);
    fail(71_000, other);
    expect(watch.standing(71_000)).toMatchObject({ callers: null, since: 71_000 });
  });

  it('is told from the last answer of anybody on, where several keys of one account are answered nothing', () => {
    fail(0, caller, 5);
    fail(0, colleague);
    fail(5_000);
    expect(watch.standing(5_000)).toMatchObject({ answersNobody: true, since: 0 });
    answer(6_000, other);
    expect(watch.standing(6_000)).toMatchObject({ answersNobody: false });
    fail(11_000, colleague);
    fail(16_000);
    expect(watch.standing(16_000)).toMatchObject({ answersNobody: true, since: 6_000 });
  });
});

describe('a server that lets requests wait', () => {
  const caller = { key: 'key-a', account: 'account-a' };

  it('answers nobody once it said five times that it is busy, until it answers, and not long afterwards', () => {
    const watch = new DeploymentWatch('home', false);
    const busy = (now: number) => watch.saidBusy(watch.begin(caller, now), 503, now);
    for (let now = 0; now < 4_000; now += 1_000) busy(now);
    expect(watch.standing(4_000)).toMatchObject({ answersNobody: false, why: null, since: null });
    for (let now = 4_000; now < 90_000; now += 1_000) busy(now);
    const down = { state: 'closed', callers: 0, answersNobody: true, why: '503' };
    // Nobody asked it for a second: so long it is not known.
    expect(watch.standing(90_000)).toMatchObject({ ...down, since: 1_000, lastBusyMs: 1_000 });
    expect(watch.standing(300_000)).toMatchObject({ ...down, lastBusyMs: 211_000 });
    expect(watch.waitMs(caller, false, 90_000)).toBe(0);
    watch.answered(watch.begin(caller, 91_000), 91_000);
    expect(watch.standing(91_000)).toMatchObject({ answersNobody: false, why: null, since: null, lastBusyMs: null });
    for (let times = 0; times < 5; times += 1) busy(92_000);
    expect(watch.standing(92_000)).toMatchObject(down);
    busy(800_000);
    expect(watch.standing(800_000)).toMatchObject({ answersNobody: false });
  });
});

describe('the shortest time to an answer', () => {
  it('is nothing while none is known', () => {
    expect(new FirstAnswerTimes().shortestMs(0)).toBe(0);
  });

  it('is that of the last one to two minutes', () => {
    const times = new FirstAnswerTimes();
    times.record(300, 1_000);
    times.record(700, 2_000);
    expect(times.shortestMs(59_999)).toBe(300);
    times.record(500, 61_000);
    expect(times.shortestMs(119_999)).toBe(300);
    expect(times.shortestMs(120_000)).toBe(500);
    expect(times.shortestMs(180_000)).toBe(0);
  });

  it('does not reach over a pause', () => {
    const times = new FirstAnswerTimes();
    times.record(300, 1_000);
    expect(times.shortestMs(130_000)).toBe(0);
  });
});
