import type { CatalogModel } from '@tollgate/contracts';
import { bareName, likeness, spelling } from './model-names';

const mostSuggested = 3;
const leastLikeness = 0.45;

/** The ids that a name was probably meant for, the likeliest first; of models that share a name, the first of the list. */
export function nearestModels(name: string, models: readonly CatalogModel[]): string[] {
  const typed = name.slice(0, 200);
  const bare = typed.slice(typed.lastIndexOf('/') + 1);
  const byBareName = new Map<string, CatalogModel>();
  for (const model of models) {
    const known = bareName(model);
    if (!byBareName.has(known)) byBareName.set(known, model);
  }
  return [...byBareName]
    .map(([known, { id }]) => ({ id, near: score(bare, known, typed, id) }))
    .filter(({ near }) => near >= leastLikeness)
    .toSorted((a, b) => b.near - a.near)
    .slice(0, mostSuggested)
    .map(({ id }) => id);
}

/** A name that another begins with is meant for that one more likely than for any that is only alike. */
function score(bare: string, known: string, typed: string, id: string): number {
  if (bare !== '' && spelling(known).startsWith(spelling(bare))) return 1;
  return Math.max(likeness(bare, known), likeness(typed, id));
}
