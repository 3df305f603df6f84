import { byInstant, picoUsdFromDecimal, priceFactorsOf } from '@tollgate/contracts';
import type { PriceFactors } from '@tollgate/contracts';
import { clockBoundMs } from '@tollgate/contracts/catalog';
import type { Deployment } from '@tollgate/contracts/catalog';
import type { Queries } from '@tollgate/database';

/**
 * A discount and a markup of a deployment that an administrator set and that were not taken back. `factors`
 * null: from then on it has none. `from`: epoch milliseconds.
 */
export interface StandingFactor {
  factors: PriceFactors | null;
  from: number;
}

/** By deployment id, each in the order of time. */
export type StandingFactors = ReadonlyMap<string, readonly StandingFactor[]>;

/** Until when a request may still run that started before they ended. */
export const longestRequestMs = 24 * 3_600_000;

/** Every one that was set and not taken back. */
export async function readStandingFactors(queries: Pick<Queries<'catalog'>, 'setFactor'>): Promise<StandingFactors> {
  const rows = await queries.setFactor.findMany({ where: { withdrawnAt: null }, orderBy: { validFrom: 'asc' } });
  const byDeployment = new Map<string, StandingFactor[]>();
  for (const row of rows)
    byDeployment.set(row.deployment, [
      ...(byDeployment.get(row.deployment) ?? []),
      { factors: factorsOf(row), from: row.validFrom.getTime() },
    ]);
  return byDeployment;
}

/** What is said of them; null: neither. */
export function factorsOf(said: { discount?: string | null; markup?: string | null }): PriceFactors | null {
  return priceFactorsOf({ discount: said.discount ?? undefined, markup: said.markup ?? undefined }, 0) ?? null;
}

/** Those that hold at `at` (epoch milliseconds); null: none. */
export function factorsAt(standing: readonly StandingFactor[], at: number): PriceFactors | null {
  return standing.findLast(({ from }) => from <= at)?.factors ?? null;
}

/**
 * A deployment as it is told at `now`, with the discounts and markups that were set for it, each with its
 * instant: so a request is charged by those of its start, whenever who generates it hears of anything. What
 * the file says of it stays.
 */
export function withSetFactors(place: Deployment, all: StandingFactors, now: number): Deployment {
  if (factorsOf(place) !== null) return place;
  const standing = since(all.get(place.id) ?? [], now - longestRequestMs);
  if (standing.every(({ factors }) => factors === null)) return place;
  // Those to come as well: who hears nothing of catalog for hours reserves no less than is charged.
  const dearestMarkup = largest(since(standing, now - clockBoundMs).flatMap(({ factors }) => factors?.markup ?? []));
  return {
    ...place,
    discount: byInstant,
    factors: standing.map(({ factors, from }) => ({ from, ...factors })),
    ...(dearestMarkup !== undefined && { dearestMarkup }),
  };
}

/** What holds at `at` (epoch milliseconds), and all that comes after it. */
function since(standing: readonly StandingFactor[], at: number): readonly StandingFactor[] {
  return standing.slice(
    Math.max(
      0,
      standing.findLastIndex(({ from }) => from <= at),
    ),
  );
}

function largest(fractions: readonly string[]): string | undefined {
  return fractions.toSorted((a, b) => Number(picoUsdFromDecimal(b) - picoUsdFromDecimal(a)))[0];
}
