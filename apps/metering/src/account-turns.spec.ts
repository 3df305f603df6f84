import { AccountTurns, KeptTurns, mostOfAccount, ReportTurns } from './account-turns';
import { mostConnections } from './databases';

/** Work that is over when it is told so. */
function open() {
  let end = (): void => undefined;
  const over = new Promise<void>((resolve) => (end = resolve));
  return { end, work: jest.fn(() => over) };
}
const settled = () => new Promise(setImmediate);
const patienceMs = 2_000;

afterEach(() => jest.useRealTimers());

describe('the turns of an account', () => {
  it('are so many at once, whatever others have, and go on in the order of arrival', async () => {
    const turns = new AccountTurns(2, patienceMs);
    const all = Array.from({ length: 4 }, open);
    const done = all.map(({ work }) => turns.take('one', work));
    const other = open();
    const others = turns.take('other', other.work);
    expect(all.map(({ work }) => work.mock.calls.length)).toEqual([1, 1, 0, 0]);
    expect(other.work).toHaveBeenCalledTimes(1);
    all[1]?.end();
    await settled();
    expect(all.map(({ work }) => work.mock.calls.length)).toEqual([1, 1, 1, 0]);
    for (const { end } of [...all, other]) end();
    await Promise.all([...done, others]);
  });

  it('are not those of who asks for everybody', async () => {
    const turns = new AccountTurns(1, patienceMs);
    const all = [open(), open()];
    const done = all.map(({ work }) => turns.take(undefined, work));
    expect(all.map(({ work }) => work.mock.calls.length)).toEqual([1, 1]);
    for (const { end } of all) end();
    await Promise.all(done);
  });

  it('end with what fails, and come no more to work whose asker has given up', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
    const turns = new AccountTurns(1, patienceMs);
    const first = open();
    const [late, next] = [open(), open()];
    const begun = turns.take('one', async () => {
      await first.work();
      throw new Error('it failed');
    });
    const given = turns.take('one', late.work);
    const refused = expect(given).rejects.toMatchObject({ code: 'unavailable' });
    jest.advanceTimersByTime(patienceMs / 2);
    const taken = turns.take('one', next.work);
    jest.advanceTimersByTime(patienceMs / 2);
    await refused;
    first.end();
    next.end();
    await expect(begun).rejects.toThrow('it failed');
    await taken;
    expect([late.work.mock.calls.length, next.work.mock.calls.length, jest.getTimerCount()]).toEqual([0, 1, 0]);
  });

  it('are waited for by so many at most', async () => {
    const turns = new AccountTurns(1, patienceMs);
    const all = Array.from({ length: 201 }, open);
    const done = all.map(({ work }) => turns.take('one', work));
    await expect(turns.take('one', open().work)).rejects.toMatchObject({ code: 'unavailable' });
    for (const { end } of all) end();
    await Promise.all(done);
  });

  it('are apart for reports and for what is kept, and leave everybody else some connections', async () => {
    const all = Array.from({ length: 20 }, open);
    const [reports, kept] = [new ReportTurns(), new KeptTurns()];
    const done = all.map(({ work }, number) => (number < 10 ? reports : kept).take('one', work));
    const running = (works: typeof all) => works.filter(({ work }) => work.mock.calls.length > 0).length;
    expect([running(all.slice(0, 10)), running(all.slice(10))]).toEqual([mostOfAccount.reports, mostOfAccount.kept]);
    expect(mostConnections.operations - running(all)).toBeGreaterThanOrEqual(3);
    for (const { end } of all) end();
    await Promise.all(done);
  });
});
