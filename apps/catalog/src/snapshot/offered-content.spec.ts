import fc from 'fast-check';
import { clockBoundMs, priceSheet } from '@tollgate/contracts/catalog';
import { aModel } from '@tollgate/testing';
import type { ModelEntry } from '@tollgate/configuration';
import type { CatalogInForce } from '../prices/imported-price';
import { longestRequestMs } from '../prices/set-factors';
import { OfferedContent, availableModels } from './offered-content';
import { resolveModel } from '../effective/resolve-model';

const begin = Date.UTC(2026, 10, 20);
const dayMs = 86_400_000;
const sheet = (input: number) => priceSheet.parse({ input: String(input), output: '9' });
const at = (ms: number) => new Date(begin + ms).toISOString();

/** Milliseconds from the begin; the end of a model is a day. */
interface Instants {
  days: number;
  changes: readonly number[];
  factors: readonly number[];
  heldUntil: number | null;
}

/** Two models, one of which is the other's fallback, and has a price, an end, factors and a hold. */
function parts({ days, changes, factors, heldUntil }: Instants) {
  const ending = aModel({ id: 'a/m', retirement: { date: at(days * dayMs).slice(0, 10), successor: null } });
  const priced = { model: 'a/m', prices: sheet(1), source: 'a', day: null };
  const catalog: CatalogInForce = {
    ...{
      providers: [],
      models: [ending, aModel({ id: 'a/n', fallbacks: ['a/m'] })],
      retiredNames: [],
      factsAsOf: null,
    },
    ...{ guardrails: [], contentLog: null, operatorPriced: new Set<string>() },
    priced: [{ ...priced, changes: changes.map((ms, index) => ({ from: at(ms), prices: sheet(index + 2) })) }],
  };
  const hold = { deployment: 'a/m@a', state: 'closed' as const, reason: 'x', by: 'x', since: 0 };
  const choices = {
    ...{ disabled: new Set<string>(), approved: new Set<string>() },
    held: [{ ...hold, until: heldUntil === null ? null : begin + heldUntil }],
    factors: new Map([
      ['a/m@a', factors.map((ms, index) => ({ from: begin + ms, factors: { markup: `0.${9 - index}` } }))],
    ]),
  };
  return { catalog, choices };
}

const reach = { sandbox: true, providers: new Set(['a']), listed: {} };
const still = parts({ days: 1, changes: [], factors: [], heldUntil: null });

describe('what is offered', () => {
  it('is what it would be if it were made anew, at any time', () => {
    const most = 3 * longestRequestMs;
    const instant = fc.integer({ min: 0, max: most });
    const inOrder = fc.array(instant, { maxLength: 3 }).map((all) => all.toSorted((a, b) => a - b));
    const instants = fc.record({
      days: fc.integer({ min: 0, max: 3 }),
      changes: inOrder,
      factors: inOrder,
      heldUntil: fc.option(instant),
    });
    const bounds = [0, -clockBoundMs, clockBoundMs, longestRequestMs];
    const looks = fc.array(
      fc.record({ which: fc.nat(9), bound: fc.constantFrom(...bounds), ms: fc.integer({ min: -2, max: 2 }) }),
      { maxLength: 30 },
    );
    fc.assert(
      fc.property(instants, looks, fc.boolean(), (made, steps, inTurn) => {
        const { catalog, choices } = parts(made);
        const all = [made.days * dayMs, ...made.changes, ...made.factors, made.heldUntil ?? 0];
        const times = steps.map(({ which, bound, ms }) => begin + (all[which % all.length] ?? 0) + bound + ms);
        const offered = new OfferedContent(30);
        let content = offered.make(catalog, choices, reach, begin);
        for (const now of inTurn ? times.toSorted((a, b) => a - b) : times) {
          content = offered.makeAnew(catalog, choices, reach, now) ?? content;
          expect(content).toEqual(new OfferedContent(30).make(catalog, choices, reach, now));
        }
      }),
      { numRuns: 300 },
    );
  });

  it('is not made while nothing is another', () => {
    const offered = new OfferedContent(30);
    offered.make(still.catalog, still.choices, reach, begin);
    expect(offered.makeAnew(still.catalog, still.choices, { ...reach }, begin + dayMs - 1)).toBeNull();
    expect(offered.makeAnew(still.catalog, still.choices, reach, begin + dayMs)?.available).toEqual(['a/n']);
    expect(offered.makeAnew(still.catalog, still.choices, reach, begin + dayMs + 1)).toBeNull();
  });

  it.each([
    ['the catalog', { ...still, catalog: { ...still.catalog }, reach }],
    ['what is switched off', { ...still, choices: { ...still.choices, disabled: new Set(['a/m']) }, reach }],
    ['what is switched on', { ...still, choices: { ...still.choices, approved: new Set(['a/m']) }, reach }],
    ['what is held', { ...still, choices: { ...still.choices, held: [] }, reach }],
    ['discounts', { ...still, choices: { ...still.choices, factors: new Map() }, reach }],
    ['what can be reached', { ...still, reach: { ...reach, providers: new Set(['b']) } }],
  ])('is made where %s is another', (_, other) => {
    const offered = new OfferedContent(30);
    offered.make(still.catalog, still.choices, reach, begin);
    expect(offered.makeAnew(other.catalog, other.choices, other.reach, begin)).not.toBeNull();
  });
});

const entries: ModelEntry[] = [
  { id: 'openai/a', provider: 'openai' },
  { id: 'openai/b', deployments: [{ provider: 'openai' }, { provider: 'house' }] },
  { id: 'xai/c', provider: 'xai' },
];
const models = entries.map(resolveModel).filter((model) => model !== null);

const noEnd = { deprecated: null, successor: null, redirects: false };
const now = Date.UTC(2026, 10, 22);

describe('availableModels', () => {
  it('are those with at least one deployment within reach', () => {
    expect(availableModels(models, { providers: new Set(['house']) }, now)).toEqual(['openai/b']);
    expect(availableModels(models, { providers: new Set() }, now)).toEqual([]);
  });

  it('are, beside the sandbox too, no more than that: it stands in for no server of the operator', () => {
    const providers = new Set(['openai', 'xai']);
    expect(availableModels(models, { providers }, now)).toEqual(['openai/a', 'openai/b', 'xai/c']);
    expect(availableModels(models, { providers: new Set() }, now)).toEqual([]);
  });

  it('end with the day on which their provider retires them, to the minute', () => {
    const model = resolveModel({ id: 'openai/old', provider: 'openai', retirement: { ...noEnd, date: '2026-12-11' } });
    const live = (at: number) => availableModels(model ? [model] : [], { providers: new Set(['openai']) }, at);
    expect(live(Date.UTC(2026, 11, 11) - 1)).toEqual(['openai/old']);
    expect(live(Date.UTC(2026, 11, 11))).toEqual([]);
  });
});
