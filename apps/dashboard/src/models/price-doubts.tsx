import { useMemo } from 'react';
import type { ListedModel } from '../api/catalog';
import { useCatalog } from '../api/catalog';
import { Badge } from '../design/badge';

/**
 * Why a cost of a model may be another. `oldSince`: the day on which its prices were taken from their source,
 * longer ago than the operator trusts; null: they are newer. `unconfirmed`: sources disagree.
 */
interface PriceDoubt {
  oldSince: string | null;
  unconfirmed: boolean;
}

/** The models whose prices are doubtful, by their id. */
export function usePriceDoubts(): ReadonlyMap<string, PriceDoubt> {
  const { data } = useCatalog();
  return useMemo(
    () => new Map(data?.models.flatMap(({ id, pricing }) => doubtOf(pricing).map((doubt) => [id, doubt] as const))),
    [data],
  );
}

/** None, or one. */
function doubtOf(pricing: ListedModel['pricing']): PriceDoubt[] {
  const doubt = { oldSince: (pricing?.old && pricing.asOf) || null, unconfirmed: pricing?.unconfirmed === true };
  return doubt.unconfirmed || doubt.oldSince !== null ? [doubt] : [];
}

/** Stands beside a cost that rests on a price on which sources disagree. */
export function UnconfirmedPrice({ pricing }: { pricing: { unconfirmed?: boolean | undefined } | null | undefined }) {
  return pricing?.unconfirmed ? (
    <span title="Sources disagree on it, or it has parts that are not shown here.">
      <Badge>price unconfirmed</Badge>
    </span>
  ) : null;
}
