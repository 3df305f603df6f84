import { useCallback } from 'react';
import { useLocation, useSearchParams } from 'react-router';

/**
 * Whether "back" undoes a change (`push`) or passes over it (`replace`), as it should for every letter of a
 * word.
 */
type HistoryStep = 'push' | 'replace';

/**
 * What a page is set to, kept in its address: shared by copying it, and undone by "back". Null and the empty
 * text take a parameter away. The list that led to the page stays with it (`PageSteps`).
 */
export function useSearch(): [URLSearchParams, (changes: Record<string, string | null>, step?: HistoryStep) => void] {
  const [search, setSearch] = useSearchParams();
  const state: unknown = useLocation().state;
  const change = useCallback(
    (changes: Record<string, string | null>, step: HistoryStep = 'push') =>
      setSearch(
        (before) => {
          const after = new URLSearchParams(before);
          for (const [name, value] of Object.entries(changes))
            if (value) after.set(name, value);
            else after.delete(name);
          return after;
        },
        { replace: step === 'replace', preventScrollReset: true, state },
      ),
    [setSearch, state],
  );
  return [search, change];
}
