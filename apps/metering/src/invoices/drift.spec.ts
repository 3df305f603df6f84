import { kindInWords } from '@tollgate/contracts/metering';
import fc from 'fast-check';
import { driftOf } from './drift';

const day = '2026-11-25';
const billed = (model: string, words: string, picoUsd: bigint) => {
  return { model, kind: kindInWords(words), picoUsd, quantity: null };
};
const rated = (model: string, kind: string, picoUsd: bigint, estimatedPicoUsd = 0n) => {
  const amounts = { picoUsd, unbilledPicoUsd: 0n, estimatedPicoUsd };
  return { model, kind, ...amounts, quantity: 1, estimatedQuantity: 0, requests: 1, unpriced: 0 };
};
const drifts = (...[bill, own]: [ReturnType<typeof billed>[], ReturnType<typeof rated>[]]) =>
  driftOf('p', day, bill, own).map(({ model, kind, driftPicoUsd }) => [model, kind, driftPicoUsd]);

describe('our side of a bill', () => {
  it('stands in the one line that a bill has for what a cache was given, however long it keeps it', () => {
    const bill = [billed('m', 'input', 10n), billed('m', 'Cache write', 7n)];
    const own = [rated('m', 'input', 10n), rated('m', 'cacheWrite5m', 3n), rated('m', 'cacheWrite1h', 4n)];
    expect(drifts(bill, own).map(([, , drift]) => drift)).toEqual(['0', '0']);
  });

  it.each([
    ['cachedInput', 'input'],
    ['cacheWrite1h', 'input'],
    ['audioInput', 'input'],
    ['imageInput', 'input'],
    ['videoInput', 'input'],
    ['audioOutput', 'output'],
    ['imageOutput', 'output'],
  ])('has %s in the %s of a bill that does not tell it apart', (kind, words) => {
    expect(drifts([billed('m', words, 5n)], [rated('m', words, 2n), rated('m', kind, 3n)])).toEqual([
      ['m', words, '0'],
    ]);
  });

  it('stands in a line of its own where a bill has nothing of that side', () => {
    expect(drifts([billed('m', 'output', 5n)], [rated('m', 'output', 5n), rated('m', 'cachedInput', 3n)])).toEqual([
      ['m', 'cachedInput', '-3'],
      ['m', 'output', '0'],
    ]);
  });

  it('stands with its model, then with its kind, then with neither', () => {
    expect(drifts([billed('', 'webSearch', 5n)], [rated('m', 'webSearch', 5n)])).toEqual([['', 'webSearch', '0']]);
    expect(drifts([billed('m', '', 5n)], [rated('m', 'webSearch', 5n)])).toEqual([['m', '', '0']]);
    expect(drifts([billed('', '', 5n)], [rated('m', 'webSearch', 5n)])).toEqual([['', '', '0']]);
  });

  it('stands in the line of its kind, also where a bill tells that for all models together', () => {
    const bill = [billed('m', 'input', 10n), billed('', 'cachedInput', 3n), billed('n', 'input', 1n)];
    const own = [rated('m', 'input', 10n), rated('m', 'cachedInput', 3n), rated('n', 'input', 1n)];
    expect(drifts(bill, own).map(([, , drift]) => drift)).toEqual(['0', '0', '0']);
  });

  it.each([
    [9n, '-1'],
    [10n, '0'],
    [13n, '0'],
    [14n, '1'],
  ])('is as certain as it is told: an estimate of 3 beside 10 explains a bill of %s but for %s', (bill, drift) => {
    const own = [rated('m', 'input', 6n, 1n), rated('m', 'cachedInput', 4n, 2n)];
    expect(driftOf('p', day, [billed('m', 'input', bill)], own)).toMatchObject([
      { ratedPicoUsd: '10', estimatedPicoUsd: '3', driftPicoUsd: drift },
    ]);
  });

  it('stands in one line, so that the drifts are together what the sums differ by', () => {
    const line = fc.record({
      model: fc.constantFrom('', 'm', 'n'),
      kind: fc.constantFrom('', 'input', 'output', 'cachedInput', 'cacheWrite', 'cacheWrite5m', 'webSearch'),
      picoUsd: fc.bigInt({ min: 0n, max: 1_000n }),
    });
    const lines = fc.uniqueArray(line, { selector: ({ model, kind }) => `${model} ${kind}` });
    const sum = (all: readonly { picoUsd: bigint }[]): bigint =>
      all.reduce((total, { picoUsd }) => total + picoUsd, 0n);
    fc.assert(
      fc.property(lines, lines, (bill, own) => {
        const ours = own.filter(({ model, kind }) => model !== '' && kind !== '');
        const told = driftOf(
          'p',
          day,
          bill.map((each) => ({ ...each, quantity: null })),
          ours.map(({ model, kind, picoUsd }) => rated(model, kind, picoUsd)),
        );
        const drift = told.reduce((total, { driftPicoUsd }) => total + BigInt(driftPicoUsd), 0n);
        expect(drift).toBe(sum(bill) - sum(ours));
        expect(told.reduce((total, { requests }) => total + requests, 0)).toBeLessThanOrEqual(ours.length);
      }),
    );
  });
});
