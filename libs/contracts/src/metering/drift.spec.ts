import { certainDrift, driftOfModels } from './drift';

describe('certainDrift', () => {
  it.each([
    ['less than what is certain', 7n, -3n],
    ['what is certain', 10n, 0n],
    ['a part of what is estimated', 12n, 0n],
    ['all of it', 14n, 0n],
    ['more than all of it', 15n, 1n],
  ])('knows a bill of %s', (_, billed, drift) => {
    expect(certainDrift(billed, { certain: 10n, estimated: 4n })).toBe(drift);
  });
});

describe('driftOfModels', () => {
  const line = (model: string, billed: string | null, rated: string | null, estimated = '0') => {
    return { model, billedPicoUsd: billed, ratedPicoUsd: rated, estimatedPicoUsd: estimated };
  };

  it('lets lines of one model make up for each other, but not those of two', () => {
    expect(driftOfModels([line('a', '10', '7'), line('a', null, '3'), line('b', '5', '9')])).toBe(4n);
  });

  it('finds none where the estimates of a model explain it, in whichever line they stand', () => {
    const other = [line('a', '26', null), line('a', null, '20', '6')];
    expect(driftOfModels(other)).toBe(0n);
    expect(driftOfModels([line('a', '30', '20', '6')])).toBe(4n);
    expect(driftOfModels([line('a', '19', '20', '6')])).toBe(1n);
  });
});
