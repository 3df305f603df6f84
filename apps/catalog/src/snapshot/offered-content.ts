import { isDeepStrictEqual } from 'node:util';
import { clockBoundMs, isRetired, type CatalogModel } from '@tollgate/contracts/catalog';
import type { Reach } from '../availability/inference-presence';
import { discoveredModels, waitingModels } from '../effective/discovered-models';
import { withToldEnds } from '../effective/told-ends';
import type { Choices } from '../operator/operator-choices';
import type { CatalogInForce } from '../prices/imported-price';
import { longestRequestMs, withSetFactors } from '../prices/set-factors';
import { priceAt, sheetsBeside } from '../prices/sheet-at';
import type { CatalogContent } from './published-catalog';

type ChoicesOfContent = Pick<Choices, 'disabled' | 'approved' | 'held' | 'factors'>;

/** What a content was made of and when, and until when time alone makes no other of it; epoch milliseconds. */
interface Made {
  of: readonly unknown[];
  reach: Reach | null;
  at: number;
  until: number;
}

/**
 * Makes what is offered out of the catalog, the choices of operators and what can be reached. Each second it
 * is asked whether that is another now, and hardly ever it is.
 */
export class OfferedContent {
  private last: Made | null = null;

  constructor(private readonly pricesOldAfterDays: number) {}

  /** Null: it is what was made last, since nothing that it is made of is another. */
  makeAnew(
    catalog: CatalogInForce,
    choices: ChoicesOfContent,
    reach: Reach | null,
    now: number,
  ): CatalogContent | null {
    return this.isAsItWas(catalog, choices, reach, now) ? null : this.make(catalog, choices, reach, now);
  }

  make(catalog: CatalogInForce, choices: ChoicesOfContent, reach: Reach | null, now: number): CatalogContent {
    const content = contentOf(catalog, choices, reach, now, this.pricesOldAfterDays);
    const until = nextTurn(content, catalog, choices, now);
    this.last = { of: madeOf(catalog, choices), reach, at: now, until };
    return content;
  }

  private isAsItWas(catalog: CatalogInForce, choices: ChoicesOfContent, reach: Reach | null, now: number): boolean {
    const { last } = this;
    if (!last || now < last.at || now >= last.until) return false;
    return madeOf(catalog, choices).every((part, at) => part === last.of[at]) && isDeepStrictEqual(reach, last.reach);
  }
}

/** None of these is changed in itself: what is another is another object. */
function madeOf(catalog: CatalogInForce, { disabled, approved, held, factors }: ChoicesOfContent): readonly unknown[] {
  return [catalog, disabled, approved, held, factors];
}

/** The next instant at which contentOf may come to something else by its `now` alone. */
function nextTurn(
  { models }: CatalogContent,
  { priced }: CatalogInForce,
  { held, factors }: ChoicesOfContent,
  now: number,
): number {
  const ends = models.flatMap(({ retirement }) => (retirement?.date ? [Date.parse(retirement.date)] : []));
  const changes = priced.flatMap(({ changes: all = [] }) => all.map(({ from }) => Date.parse(from)));
  const prices = changes.flatMap((from) => [from - clockBoundMs, from, from + clockBoundMs]);
  const begins = [...factors.values()].flatMap((standing) => standing.map(({ from }) => from));
  const ofFactors = begins.flatMap((from) => [from + clockBoundMs, from + longestRequestMs]);
  const holds = held.flatMap(({ until }) => until ?? []);
  return Math.min(...[...ends, ...prices, ...ofFactors, ...holds].filter((instant) => instant > now));
}

/**
 * What is offered at `now` (epoch milliseconds), at the prices of that instant. `reach` null, nothing known
 * of inference yet: no model is available. One that is switched off or retired is nobody's fallback either. A
 * hold of a deployment ends here, so that only one clock counts.
 */
function contentOf(
  { providers, models: configured, retiredNames, factsAsOf, guardrails, contentLog, priced }: CatalogInForce,
  { disabled, approved, held, factors }: ChoicesOfContent,
  reach: Reach | null,
  now: number,
  pricesOldAfterDays: number,
): CatalogContent {
  const found = reach ? discoveredModels(providers, configured, reach.listed, factsAsOf) : [];
  const models = withToldEnds([...configured, ...found], reach?.listed ?? {});
  const off = new Set([...disabled, ...waitingModels(providers, found, approved)]);
  const isOn = (id: string) => !off.has(id);
  const gone = new Set(models.flatMap(({ id, retirement }) => (isOn(id) && !isRetired(retirement, now) ? [] : [id])));
  const prices = new Map(
    priced.map((each) => [each.model, { ...priceAt(each, now), beside: sheetsBeside(each, now, clockBoundMs) }]),
  );
  return {
    sandbox: reach?.sandbox ?? false,
    providers,
    models: models.map((each) => {
      const { prices: sheet = null, day = null, isSet = false, beside = [] } = prices.get(each.id) ?? {};
      const fallbacks = each.fallbacks.filter((id) => !gone.has(id));
      return {
        ...each,
        deployments: each.deployments.map((place) => withSetFactors(place, factors, now)),
        prices: sheet,
        ...(beside.length > 0 && { pricesBeside: beside }),
        ...(day !== null && { pricesAsOf: day }),
        ...(isSet && { priceUnconfirmed: false }),
        fallbacks,
      };
    }),
    reachable: reach ? [...reach.providers].sort() : [],
    available: reach ? availableModels(models, reach, now).filter(isOn) : [],
    guardrails,
    contentLog,
    disabled: models.map(({ id }) => id).filter((id) => off.has(id)),
    held: held.filter(({ until }) => until === null || now < until),
    retiredNames,
    factsAsOf,
    pricesOldAfterDays,
  };
}

/**
 * The ids of the models that can be generated at `now` (epoch milliseconds): those with a deployment at a
 * provider within reach, a real or a simulated one; never one that its provider has retired.
 */
export function availableModels(
  models: readonly CatalogModel[],
  { providers }: Pick<Reach, 'providers'>,
  now: number,
): string[] {
  return models
    .filter(({ retirement }) => !isRetired(retirement, now))
    .filter(({ deployments }) => deployments.some(({ provider }) => providers.has(provider)))
    .map(({ id }) => id);
}
