import { ControlError, type CatalogSnapshot } from '@tollgate/contracts';
import type { ControlClient } from '@tollgate/messaging';
import { createLogger } from '@tollgate/observability';
import { aModel, aProvider, aSnapshot } from '../testing/fixtures';
import { CatalogSource } from './catalog-source';

const logger = createLogger('test', 'silent');

/** A catalog that gives its answers in order, the last one for ever; null means that it is away. */
function catalogWith(
  answers: (CatalogSnapshot | null)[],
  heard: number[] = [],
): { source: CatalogSource; asked: () => number } {
  let asked = 0;
  const call = jest.fn(async () => {
    const answer = answers[Math.min(asked++, answers.length - 1)];
    if (!answer) throw new ControlError('unavailable', 'nobody answers');
    return answer;
  });
  // The one operation that is asked here has one kind of reply.
  const control = { call } as unknown as Pick<ControlClient, 'call'>;
  return { source: new CatalogSource(control, logger, ({ revision }) => heard.push(revision)), asked: () => asked };
}

function revision(number: number): CatalogSnapshot {
  return aSnapshot([aProvider()], [aModel()], number);
}

describe('the catalog snapshot', () => {
  it('is asked for until there is one', async () => {
    const heard: number[] = [];
    const { source } = catalogWith([null, revision(1)], heard);
    await source.first();
    expect(heard).toEqual([1]);
    expect(source.current?.revision).toBe(1);
  });

  it('is waited for with one line in the log', async () => {
    const { source } = catalogWith([null, null, revision(1)]);
    const warn = jest.spyOn(logger, 'warn');
    const info = jest.spyOn(logger, 'info');
    await source.refresh();
    await source.refresh();
    await source.refresh();
    expect(source.current?.revision).toBe(1);
    expect(warn).not.toHaveBeenCalled();
    expect(info).toHaveBeenCalledTimes(1);
  });

  it('stays when catalog is away', async () => {
    const { source } = catalogWith([revision(1), null]);
    await source.first();
    await source.refresh();
    expect(source.current?.revision).toBe(1);
  });

  it('is asked for again a second after a notice that catalog did not answer: it does not come twice', async () => {
    jest.useFakeTimers();
    const { source } = catalogWith([revision(1), null, null, revision(2)]);
    await source.first();
    source.noticed(2);
    await jest.advanceTimersByTimeAsync(1_999);
    expect(source.current?.revision).toBe(1);
    await jest.advanceTimersByTimeAsync(1);
    expect(source.current?.revision).toBe(2);
    expect(jest.getTimerCount()).toBe(0);
    jest.useRealTimers();
  });

  it('is asked for on a notice of another revision only', async () => {
    const { source, asked } = catalogWith([revision(1)]);
    await source.first();
    source.noticed(1);
    expect(asked()).toBe(1);
    source.noticed(2);
    expect(asked()).toBe(2);
  });

  it('is asked for once more when a notice comes while an answer is under way, so that no change is missed', async () => {
    const { source, asked } = catalogWith([revision(1), revision(2)]);
    const first = source.refresh();
    source.noticed(2);
    source.noticed(2);
    await first;
    expect(asked()).toBe(2);
    expect(source.current?.revision).toBe(2);
  });

  it('is no longer waited for after a stop', async () => {
    const { source } = catalogWith([null]);
    const first = source.first();
    source.stop();
    await first;
    expect(source.current).toBeNull();
  });
});
