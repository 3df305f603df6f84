import { useSearch } from '../app/use-search';

/** The parameters of the address that name the models, side by side. */
const names = ['model', 'second', 'third', 'fourth'] as const;

export const mostColumns = names.length;

/** The models that are asked, as the address says: at least one, each known to `isKnown`. */
export function useColumns(
  isKnown: (id: string) => boolean,
  otherwise: string,
): [string[], (models: readonly string[], step?: 'push' | 'replace') => void] {
  const [search, change] = useSearch();
  const named = names.flatMap((name) => {
    const id = search.get(name);
    return id !== null && isKnown(id) ? [id] : [];
  });
  const choose = (models: readonly string[], step?: 'push' | 'replace') =>
    change({ replay: null, ...Object.fromEntries(names.map((name, place) => [name, models[place] ?? null])) }, step);
  return [named.length > 0 ? named : [otherwise], choose];
}
