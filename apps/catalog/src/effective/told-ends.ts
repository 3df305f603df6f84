import { retirement } from '@tollgate/contracts/catalog';
import type { CatalogModel } from '@tollgate/contracts/catalog';
import type { InferenceAnnouncement } from '@tollgate/contracts/inference';

/**
 * The models with the day of their end where only the lists of their providers tell it, so that callers hear
 * of it. A day that the catalog or the operator has stays. A model that is offered at several places ends
 * with the last one, and has no end where one of them tells none. What a list names instead is its successor
 * where the catalog has that and names none itself.
 */
export function withToldEnds(models: readonly CatalogModel[], listed: InferenceAnnouncement['listed']): CatalogModel[] {
  const ends = new Map(
    Object.entries(listed).flatMap(([provider, names]) =>
      names.flatMap(({ name, endsOn, replacement }) =>
        endsOn === undefined ? [] : [[`${provider} ${name}`, { endsOn, replacement }] as const],
      ),
    ),
  );
  if (ends.size === 0) return [...models];
  return models.map((model) => {
    const told = model.deployments.map(({ provider, upstreamModel }) => ends.get(`${provider} ${upstreamModel}`));
    const days = told.map((end) => end?.endsOn);
    const date = days.reduce((last, day) => (last !== undefined && day !== undefined && last > day ? last : day));
    if (model.retirement?.date || date === undefined || days.includes(undefined)) return model;
    const named = model.deployments.flatMap(({ provider }, at) => modelNamed(models, provider, told[at]?.replacement));
    const successor = model.retirement?.successor ?? named.find((id) => id !== model.id) ?? null;
    return { ...model, retirement: retirement.parse({ ...model.retirement, date, successor }) };
  });
}

/** The ids of the models that a provider calls so. */
function modelNamed(models: readonly CatalogModel[], provider: string, name: string | undefined): string[] {
  if (name === undefined) return [];
  const isIt = ({ aliases, deployments }: CatalogModel): boolean =>
    deployments.some((each) => each.provider === provider && [each.upstreamModel, ...aliases].includes(name));
  return models.filter(isIt).map(({ id }) => id);
}
