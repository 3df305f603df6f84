import { clockBoundMs, priceSheet } from '@tollgate/contracts/catalog';
import { fromPriceColumns } from '@tollgate/database';
import fc from 'fast-check';
import { priceChanges, type KnownPrice } from './price-changes';
import { withStandingPrices, type StandingPrice } from './set-prices';
import { sheetAt } from './sheet-at';

const begin = Date.UTC(2026, 10, 20);
const sheet = (input: string) => priceSheet.parse({ input, output: '9' });

/** More than changes there are in a case. */
const momentsMs = 100;

/** The table of one model, as transactions change it. */
class Table {
  rows: KnownPrice[] = [];
  private count = 0;

  /** As the ledger does it: the newest row, and every one that ends after `at`. */
  write(schedule: Parameters<typeof priceChanges>[1][number], at: number, now: number): void {
    const newest = this.rows.toSorted((a, b) => a.validFrom.getTime() - b.validFrom.getTime()).at(-1);
    const seen = this.rows.filter((row) => row === newest || row.validTo === null || row.validTo.getTime() > at);
    const { ended, withdrawn, begun } = priceChanges(seen, [schedule], at, now);
    this.rows = this.rows
      .filter(({ id }) => !withdrawn.includes(id))
      .map((row) => ({ ...row, ...ended.find(({ id }) => id === row.id) }));
    this.rows.push(...begun.map((row) => ({ ...row, id: String((this.count += 1)) })));
  }

  /** What rates an event of this instant; null: nothing. */
  at(time: number): string | null {
    const found = this.rows.filter(
      ({ validFrom, validTo }) => validFrom.getTime() <= time && (validTo === null || time < validTo.getTime()),
    );
    if (found.length > 1) throw new Error(`${found.length} prices hold at ${time}`);
    return found[0] ? fromPriceColumns(found[0]).input : null;
  }

  /** No interval is empty, and none overlaps another. */
  get isSound(): boolean {
    const inOrder = this.rows.toSorted((a, b) => a.validFrom.getTime() - b.validFrom.getTime());
    return inOrder.every(({ validFrom, validTo }, index) => {
      const next = inOrder[index + 1];
      return (validTo === null || validTo > validFrom) && (!next || (validTo !== null && validTo <= next.validFrom));
    });
  }
}

/** What happens after so long, by a clock that is so far from the true one. */
const steps = fc.array(
  fc.record({
    afterMs: fc.integer({ min: 0, max: 3 * clockBoundMs }),
    clockMs: fc.integer({ min: -clockBoundMs / 2 + 1, max: clockBoundMs / 2 - 1 }),
    what: fc.oneof(
      fc.record({
        kind: fc.constant('set' as const),
        input: fc.option(fc.integer({ min: 1, max: 9 })),
        leadMs: fc.integer({ min: clockBoundMs, max: 4 * clockBoundMs }),
      }),
      fc.record({ kind: fc.constant('withdraw' as const), which: fc.nat(9) }),
      fc.record({
        kind: fc.constant('otherwise' as const),
        input: fc.integer({ min: 10, max: 19 }),
        lateMs: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 5 * clockBoundMs })),
      }),
      fc.record({ kind: fc.constant('look' as const) }),
    ),
  }),
  { maxLength: 25 },
);

it('a price that is set rates from its very instant on, whatever else happens by whichever clock, and nothing that was changes', () => {
  fc.assert(
    fc.property(steps, (all) => {
      const table = new Table();
      let now = begin;
      let otherwise = '10';
      let standing: StandingPrice[] = [];
      const schedule = () =>
        withStandingPrices('a', { model: 'a', prices: sheet(otherwise), source: 'test', day: null }, standing);
      table.write(schedule(), now, now);
      for (const { afterMs, clockMs, what } of all) {
        now += afterMs;
        const told = now + clockMs;
        // Of a file that was read so long ago.
        const at = told - (what.kind === 'otherwise' ? what.lateMs : 0);
        const begun = table.rows.filter(({ validFrom }) => validFrom.getTime() <= told).map(({ id }) => id);
        const watched = [begin, at - clockBoundMs, at - 1, ...standing.flatMap(({ from }) => [from - 1, from])];
        const past = watched.filter((time) => time < at).map((time) => [time, table.at(time)] as const);
        if (what.kind === 'set') {
          const from = at + what.leadMs;
          if (standing.some((one) => one.from === from)) continue;
          const prices = what.input === null ? null : sheet(String(what.input));
          standing = [...standing, { prices, from }].toSorted((a, b) => a.from - b.from);
        } else if (what.kind === 'withdraw') {
          const taken = standing[what.which];
          if (taken && taken.from > at + clockBoundMs) standing = standing.filter((one) => one !== taken);
        } else if (what.kind === 'otherwise') otherwise = String(what.input);
        table.write(schedule(), at, told);
        expect(table.rows.map(({ id }) => id)).toEqual(expect.arrayContaining(begun));
        expect(table.isSound).toBe(true);
        for (const [time, input] of past) expect([time, table.at(time)]).toEqual([time, input]);
        // What it costs otherwise may have been another when it was written, and stays so where it is near.
        const exact = standing.filter(({ from, prices }) => from > (prices === null ? told + clockBoundMs : at));
        for (const time of [...exact.map(({ from }) => from), told + clockBoundMs + momentsMs])
          expect([time, table.at(time)]).toEqual([time, sheetAt(schedule(), time)?.input ?? null]);
        const last = standing.findLast(({ from, prices }) => prices !== null && from <= at);
        if (last && !standing.some(({ from }) => last.from < from && from <= at))
          expect(table.at(at)).toBe(last.prices?.input);
      }
    }),
    { numRuns: 200 },
  );
});
