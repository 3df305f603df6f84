import type { CatalogModel, InferenceAnnouncement } from '@tollgate/contracts';
import { retirement } from '@tollgate/contracts';

/**
 * The models with the day of their end where only the lists of their providers tell it, so that callers hear
 * of it. A day that the catalog or the operator has stays. A model that is offered at several places ends
 * with the last one, and has no end where one of them tells none.
 */
export function withToldEnds(models: readonly CatalogModel[], listed: InferenceAnnouncement['listed']): CatalogModel[] {
  const ends = new Map(
    Object.entries(listed).flatMap(([provider, names]) =>
      names.flatMap(({ name, endsOn }) => (endsOn === undefined ? [] : [[`${provider} ${name}`, endsOn] as const])),
    ),
  );
  if (ends.size === 0) return [...models];
  return models.map((model) => {
    const days = model.deployments.map(({ provider, upstreamModel }) => ends.get(`${provider} ${upstreamModel}`));
    const date = days.reduce((last, day) => (last !== undefined && day !== undefined && last > day ? last : day));
    if (model.retirement?.date || date === undefined || days.includes(undefined)) return model;
    return { ...model, retirement: retirement.parse({ ...model.retirement, date }) };
  });
}
