import { CallerWindow, type Caller } from './caller-window';

function caller(key: string, account = key): Caller {
  return { key, account };
}

const rule = { heedsWell: true };

function record(window: CallerWindow, who: Caller, answered: number, failed: number, now = 0): void {
  for (let count = 0; count < answered; count += 1) window.record(who, false, now);
  for (let count = 0; count < failed; count += 1) window.record(who, true, now);
}

describe('the window of attempts', () => {
  it.each([0, 5_000, 1_000_000])('counts the last ten seconds, by a clock that begins at %i', (start) => {
    const window = new CallerWindow();
    const one = caller('a');
    window.record(one, true, start);
    window.record(one, true, start + 1_000);
    expect(window.concerns(one, { ...rule, minFailures: 2, share: 0.5 }, start + 9_999)).toBe('key');
    expect(window.concerns(one, { ...rule, minFailures: 2, share: 0.5 }, start + 10_000)).toBeNull();
    expect(window.concerns(one, { ...rule, minFailures: 1, share: 0.5 }, start + 10_000)).toBe('key');
    expect(window.concerns(one, { ...rule, minFailures: 1, share: 0.5 }, start + 11_000)).toBeNull();
  });

  it('gives each caller one vote, however much it sends', () => {
    const window = new CallerWindow();
    record(window, caller('flood'), 0, 10_000);
    record(window, caller('unlucky'), 1, 1);
    for (const key of ['a', 'b', 'c', 'd']) record(window, caller(key), 1, 0);
    expect(window.concerns(caller('flood'), { ...rule, minFailures: 5, share: 0.5 }, 0)).toBe('key');
    expect(window.concerns(caller('unlucky'), { ...rule, minFailures: 5, share: 0.5 }, 0)).toBeNull();
    for (const key of ['a', 'b']) record(window, caller(key), 0, 20);
    expect(window.concerns(caller('unlucky'), { ...rule, minFailures: 5, share: 0.5 }, 0)).toBe('all');
  });

  it.each([
    [2, 1, 'key'],
    [3, 1, 'key'],
    [4, 1, 'all'],
    [4, 2, 'key'],
    [40, 3, 'all'],
  ])('of %i accounts that fail beside %i that are served well: %s', (failing, well, scope) => {
    const window = new CallerWindow();
    for (let index = 0; index < failing; index += 1) record(window, caller(`failing-${index}`), 0, 9);
    for (let index = 0; index < well; index += 1) record(window, caller(`well-${index}`), 20, 1);
    expect(window.concerns(caller('failing-0'), { minFailures: 5, share: 0.5, heedsWell: true }, 0)).toBe(scope);
    expect(window.concerns(caller('failing-0'), { minFailures: 5, share: 0.5, heedsWell: false }, 0)).toBe('all');
  });

  it('gives all keys of an account one vote, and each key one within its account', () => {
    const window = new CallerWindow();
    const keys = Array.from({ length: 50 }, (_, key) => caller(`key-${key}`, 'attacker'));
    for (const key of keys) record(window, key, 0, 10);
    expect(window.concerns(caller('key-0', 'attacker'), { ...rule, minFailures: 5, share: 0.5 }, 0)).toBe('account');
    expect(window.isAlone(caller('key-0', 'attacker'), 0)).toBe(true);
    record(window, caller('victim'), 0, 1);
    expect(window.isAlone(caller('victim'), 0)).toBe(false);
    expect(window.concerns(caller('victim'), { ...rule, minFailures: 5, share: 0.5 }, 0)).toBe('all');
  });

  it('takes a failure back', () => {
    const window = new CallerWindow();
    record(window, caller('a'), 0, 5);
    window.forgive(caller('a'));
    expect(window.concerns(caller('a'), { ...rule, minFailures: 5, share: 0.5 }, 0)).toBeNull();
    expect(window.concerns(caller('a'), { ...rule, minFailures: 4, share: 0.5 }, 0)).toBe('key');
    expect(window.anyAnswered(0)).toBe(false);
    window.clear();
    window.forgive(caller('a'));
    expect(window.concerns(caller('a'), { ...rule, minFailures: 0, share: 0 }, 0)).toBeNull();
  });
});
