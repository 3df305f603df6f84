import { useCallback } from 'react';
import { useSearchParams } from 'react-router';

/** What a page is set to, kept in its address: shared by copying it, and undone by "back". Null and the empty text take a parameter away. */
export function useSearch(): [URLSearchParams, (changes: Record<string, string | null>) => void] {
  const [search, setSearch] = useSearchParams();
  const change = useCallback(
    (changes: Record<string, string | null>) =>
      setSearch(
        (before) => {
          const after = new URLSearchParams(before);
          for (const [name, value] of Object.entries(changes))
            if (value) after.set(name, value);
            else after.delete(name);
          return after;
        },
        { replace: true, preventScrollReset: true },
      ),
    [setSearch],
  );
  return [search, change];
}
