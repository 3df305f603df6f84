import type { CatalogModel } from '@tollgate/contracts';

/**
 * The circles of two or more models that fall back to each other, each told once, from the model that comes
 * first in the catalog.
 */
export function fallbackCircles(models: readonly Pick<CatalogModel, 'id' | 'fallbacks'>[]): string[][] {
  const fallbacks = new Map(models.map((model) => [model.id, model.fallbacks.filter((id) => id !== model.id)]));
  const finished = new Set<string>();
  const circles: string[][] = [];

  const walk = (id: string, trail: string[]): void => {
    const start = trail.indexOf(id);
    if (start >= 0) circles.push(trail.slice(start));
    if (start >= 0 || finished.has(id)) return;
    for (const next of fallbacks.get(id) ?? []) walk(next, [...trail, id]);
    finished.add(id);
  };
  for (const { id } of models) walk(id, []);
  return circles;
}
