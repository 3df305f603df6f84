import { useMemo } from 'react';
import { useCatalog } from './use-catalog';

/** The models whose prices were taken from their source longer ago than the operator trusts, each with that day. */
export function useOldPrices(): ReadonlyMap<string, string> {
  const { data } = useCatalog();
  return useMemo(
    () =>
      new Map(
        data?.models.flatMap(({ id, pricing }) => (pricing?.old && pricing.asOf ? [[id, pricing.asOf] as const] : [])),
      ),
    [data],
  );
}
