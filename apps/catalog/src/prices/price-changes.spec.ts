import { clockBoundMs, priceSheet } from '@tollgate/contracts/catalog';
import { toPriceColumns } from '@tollgate/database';
import type { KnownPrice } from './price-changes';
import { firstPriceLeadMs, priceChanges as changesOf } from './price-changes';
import { withStandingPrices } from './set-prices';
import { sheetAt } from './sheet-at';

const at = Date.UTC(2026, 10, 20);
/** Written as soon as it is wanted. */
const priceChanges = (rows: Parameters<typeof changesOf>[0], priced: Parameters<typeof changesOf>[1], when: number) =>
  changesOf(rows, priced, when, when);
const sheet = (input: string) => priceSheet.parse({ input, output: '9' });
const priced = (model: string, input: string) => ({ model, prices: sheet(input), source: 'test', day: null });
const row = (model: string, input: string, validFrom: number, validTo: number | null = null): KnownPrice => ({
  id: `row of ${model}`,
  model,
  ...toPriceColumns(sheet(input)),
  validFrom: new Date(validFrom),
  validTo: validTo === null ? null : new Date(validTo),
  isSet: false,
});

describe('priceChanges', () => {
  it('changes nothing for the same sheet, however it is written', () => {
    expect(priceChanges([row('a', '2.5', 5)], [priced('a', '2.50')], at)).toEqual({
      ended: [],
      withdrawn: [],
      begun: [],
    });
  });

  it('begins the first price of a model early enough for every usage of it', () => {
    const { ended, begun } = priceChanges([], [priced('a', '2.5')], at);
    expect(ended).toEqual([]);
    expect(begun).toEqual([
      expect.objectContaining({ model: 'a', inputPico: 2_500_000n, validFrom: new Date(at - firstPriceLeadMs) }),
    ]);
  });

  it('ends the old interval where the new one begins', () => {
    const { ended, begun } = priceChanges([row('a', '2', 5)], [priced('a', '3')], at);
    expect(ended).toEqual([{ id: 'row of a', validTo: new Date(at) }]);
    expect(begun).toEqual([expect.objectContaining({ inputPico: 3_000_000n, validFrom: new Date(at) })]);
  });

  it('never makes an interval that is empty or runs backwards, even when the clock does', () => {
    const { ended, begun } = priceChanges([row('a', '2', at + 60_000)], [priced('a', '3')], at);
    expect(ended[0]?.validTo).toEqual(new Date(at + 60_001));
    expect(begun[0]?.validFrom).toEqual(new Date(at + 60_001));
  });

  it('finds nothing to do where an instance whose clock is ahead was first', () => {
    const rows = [{ ...row('a', '2', 5, at + 2), id: 'before' }, row('a', '3', at + 2)];
    expect(priceChanges(rows, [priced('a', '3')], at)).toEqual({ ended: [], withdrawn: [], begun: [] });
  });

  it('ends the price of a model that has none any more, once', () => {
    expect(priceChanges([row('a', '2', 5)], [], at).ended).toEqual([{ id: 'row of a', validTo: new Date(at) }]);
    expect(priceChanges([row('a', '2', 5, 10)], [], at)).toEqual({ ended: [], withdrawn: [], begun: [] });
  });

  it('begins anew after an ended price, never over it', () => {
    expect(priceChanges([row('a', '2', 5, 10)], [priced('a', '2')], at).begun[0]?.validFrom).toEqual(new Date(at));
    const later = at + 1_000;
    expect(priceChanges([row('a', '2', 5, later)], [priced('a', '2')], at).begun[0]?.validFrom).toEqual(
      new Date(later),
    );
  });

  it('sees a change of a long-context tier', () => {
    const tiered = priceSheet.parse({
      input: '2',
      output: '9',
      longContext: [{ aboveInputTokens: 100, input: '4', output: '9' }],
    });
    const changes = priceChanges([row('a', '2', 5)], [{ model: 'a', prices: tiered, source: 'test', day: null }], at);
    expect(changes.begun[0]?.longContext).toEqual(tiered.longContext);
  });

  describe('an announced change', () => {
    const noon = at + 12 * 3_600_000;
    const announced = (first: string, ...later: [string, number][]) => ({
      ...priced('a', first),
      changes: later.map(([input, from]) => ({ from: new Date(from).toISOString(), prices: sheet(input) })),
    });
    const ahead = { ...row('a', '4', noon), id: 'ahead of a' };

    it('is written ahead: the row in force ends at its instant, and the next begins there', () => {
      const { ended, begun } = priceChanges([row('a', '2', 5)], [announced('2', ['4', noon])], at);
      expect(ended).toEqual([{ id: 'row of a', validTo: new Date(noon) }]);
      expect(begun).toEqual([
        expect.objectContaining({ inputPico: 4_000_000n, validFrom: new Date(noon), validTo: null }),
      ]);
    });

    it('begins with the model where that is new', () => {
      const { begun } = priceChanges([], [announced('2', ['4', noon])], at);
      expect(begun.map(({ validFrom, validTo }) => [validFrom, validTo])).toEqual([
        [new Date(at - firstPriceLeadMs), new Date(noon)],
        [new Date(noon), null],
      ]);
    });

    it.each([
      ['before its instant', at],
      ['at its last moment', noon - 1],
      ['at its instant', noon],
      ['after it', noon + 1],
    ])('that is written changes nothing %s', (_, now) => {
      const rows = [row('a', '2', 5, noon), ahead];
      expect(priceChanges(rows, [announced('2', ['4', noon])], now)).toEqual({ ended: [], withdrawn: [], begun: [] });
    });

    it('that was taken back is withdrawn, and the price goes on', () => {
      expect(priceChanges([row('a', '2', 5, noon), ahead], [priced('a', '2')], at)).toEqual({
        ended: [{ id: 'row of a', validTo: null }],
        withdrawn: ['ahead of a'],
        begun: [],
      });
    });

    it('gives way to a price of the operator, and goes with a model that has none any more', () => {
      const rows = [row('a', '2', 5, noon), ahead];
      const imported = priceChanges(rows, [priced('a', '3')], at);
      expect(imported).toMatchObject({ ended: [{ validTo: new Date(at) }], withdrawn: ['ahead of a'] });
      expect(imported.begun).toEqual([expect.objectContaining({ validFrom: new Date(at), validTo: null })]);
      expect(priceChanges(rows, [], at)).toEqual({
        ended: [{ id: 'row of a', validTo: new Date(at) }],
        withdrawn: ['ahead of a'],
        begun: [],
      });
    });

    it('that is already true is simply the price', () => {
      const changes = priceChanges([row('a', '2', 5)], [announced('2', ['3', at - 1], ['4', noon])], at);
      expect(changes.ended).toEqual([{ id: 'row of a', validTo: new Date(at) }]);
      expect(changes.begun.map(({ inputPico, validFrom, validTo }) => [inputPico, validFrom, validTo])).toEqual([
        [3_000_000n, new Date(at), new Date(noon)],
        [4_000_000n, new Date(noon), null],
      ]);
    });
  });
});

describe('a price that was set', () => {
  const [soon, later] = [at + 2 * clockBoundMs, at + 3_600_000];
  /** What a model costs otherwise, and then what was set; null: what it costs otherwise again. */
  const scheduled = (otherwise: string | null, ...set: [string | null, number][]) =>
    withStandingPrices(
      'a',
      otherwise === null ? undefined : priced('a', otherwise),
      set.map(([input, from]) => ({ prices: input === null ? null : sheet(input), from })),
    );
  const ahead = (input: string, from: number, to: number | null = null): KnownPrice => ({
    ...row('a', input, from, to),
    ...{ id: `ahead at ${from}`, isSet: true },
  });
  const nothing = { ended: [], withdrawn: [], begun: [] };

  it('is written ahead and marked, and the row before ends where it begins', () => {
    const { ended, begun } = priceChanges([row('a', '2', 5)], [scheduled('2', ['3', soon])], at);
    expect(ended).toEqual([{ id: 'row of a', validTo: new Date(soon) }]);
    expect(begun).toEqual([
      expect.objectContaining({ inputPico: 3_000_000n, validFrom: new Date(soon), validTo: null, isSet: true }),
    ]);
    expect(begun[0]?.source).toBe('set by an administrator');
  });

  it.each([at, soon - clockBoundMs - 1, soon - clockBoundMs, soon - 1, soon, soon + 1, later])(
    'changes nothing once it is written (%s)',
    (now) => {
      const rows = [row('a', '2', 5, soon), ahead('3', soon)];
      expect(priceChanges(rows, [scheduled('2', ['3', soon])], now)).toEqual(nothing);
    },
  );

  it('leaves no row and no gap where it is taken back before it begins', () => {
    const rows = [row('a', '2', 5, soon), ahead('3', soon)];
    expect(priceChanges(rows, [scheduled('2')], soon - clockBoundMs - 1)).toEqual({
      ...nothing,
      ended: [{ id: 'row of a', validTo: null }],
      withdrawn: [`ahead at ${soon}`],
    });
  });

  it('is never withdrawn once it has begun by some clock: what takes its place follows it', () => {
    const rows = [row('a', '2', 5, soon), ahead('3', soon)];
    const { ended, withdrawn, begun } = priceChanges(rows, [priced('a', '7')], soon - clockBoundMs);
    expect([ended, withdrawn]).toEqual([[{ id: `ahead at ${soon}`, validTo: new Date(soon + 1) }], []]);
    expect(begun).toEqual([
      expect.objectContaining({ inputPico: 7_000_000n, validFrom: new Date(soon + 1), validTo: null, isSet: false }),
    ]);
  });

  it.each([[[priced('a', '7')]], [[]]])(
    'that began while the database was away goes on until what was wanted before is written',
    (wanted) => {
      const rows = [row('a', '2', 5, soon), ahead('3', soon)];
      const { ended, withdrawn, begun } = changesOf(rows, wanted, at, later);
      expect([ended, withdrawn]).toEqual([[{ id: `ahead at ${soon}`, validTo: new Date(later) }], []]);
      expect(begun.map(({ inputPico, validFrom }) => [inputPico, validFrom])).toEqual(
        wanted.map(() => [7_000_000n, new Date(later)]),
      );
    },
  );

  it.each([soon - clockBoundMs - 1, soon - clockBoundMs, soon - 1])(
    'stays where what the model costs until then changes (%s)',
    (now) => {
      const rows = [row('a', '2', 5, soon), ahead('3', soon)];
      const { ended, withdrawn, begun } = priceChanges(rows, [scheduled('5', ['3', soon])], now);
      expect([ended, withdrawn]).toEqual([[{ id: 'row of a', validTo: new Date(now) }], []]);
      expect(begun).toEqual([
        expect.objectContaining({ inputPico: 5_000_000n, validFrom: new Date(now), validTo: new Date(soon) }),
      ]);
    },
  );

  it('stays by a clock that is behind the one that changed the price until then', () => {
    const rows = [
      { ...row('a', '1', 5, soon - 1_000), id: 'first' },
      row('a', '2', soon - 1_000, soon),
      ahead('3', soon),
    ];
    expect(priceChanges(rows, [scheduled('2', ['3', soon])], soon - 2_000)).toEqual(nothing);
  });

  it('stays where another one is set that begins later, also at the last moment before it begins', () => {
    const rows = [row('a', '2', 5, soon), ahead('3', soon)];
    const { ended, withdrawn, begun } = priceChanges(rows, [scheduled('2', ['3', soon], ['4', later])], soon - 1);
    expect([ended, withdrawn]).toEqual([[{ id: `ahead at ${soon}`, validTo: new Date(later) }], []]);
    expect(begun).toEqual([
      expect.objectContaining({ inputPico: 4_000_000n, validFrom: new Date(later), validTo: null }),
    ]);
  });

  it('may come before one that was set for later', () => {
    const rows = [row('a', '2', 5, later), ahead('4', later)];
    const { ended, withdrawn, begun } = priceChanges(rows, [scheduled('2', ['3', soon], ['4', later])], at);
    expect([ended, withdrawn]).toEqual([[{ id: 'row of a', validTo: new Date(soon) }], []]);
    expect(begun).toEqual([
      expect.objectContaining({ inputPico: 3_000_000n, validFrom: new Date(soon), validTo: new Date(later) }),
    ]);
  });

  it('ends where what it would cost otherwise holds again, and a gap is left where that is not known', () => {
    const rows = [{ ...row('a', '3', 5), isSet: true }];
    const back = priceChanges(rows, [scheduled('2', ['3', 5], [null, soon])], at);
    expect(back).toMatchObject({
      ended: [{ validTo: new Date(soon) }],
      begun: [{ inputPico: 2_000_000n, validFrom: new Date(soon) }],
    });
    const gap = priceChanges(rows, [scheduled(null, ['3', 5], [null, soon])], at);
    expect(gap).toEqual({ ...nothing, ended: [{ id: 'row of a', validTo: new Date(soon) }] });
  });

  it('is the first of a model from long before, and is none until its instant where that is named', () => {
    const first = at - firstPriceLeadMs;
    expect(priceChanges([], [scheduled(null, ['3', first])], at).begun).toEqual([
      expect.objectContaining({ validFrom: new Date(first), validTo: null, isSet: true }),
    ]);
    expect(priceChanges([], [scheduled(null, ['3', later])], at).begun).toEqual([
      expect.objectContaining({ validFrom: new Date(later), isSet: true }),
    ]);
  });

  it('keeps what is announced of the release from the instants before it and after its end', () => {
    const release = {
      ...priced('a', '2'),
      changes: [soon, later + 9].map((from, index) => ({
        from: new Date(from).toISOString(),
        prices: sheet(`5.${index}`),
      })),
    };
    const set = [
      { prices: sheet('3'), from: soon + 1 },
      { prices: null, from: later },
    ];
    const costs = (now: number) => sheetAt(withStandingPrices('a', release, set), now)?.input;
    expect([at, soon, soon + 1, later - 1, later, later + 9].map(costs)).toEqual(['2', '5.0', '3', '3', '5.0', '5.1']);
  });
});
