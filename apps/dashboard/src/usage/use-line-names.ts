import { useCallback } from 'react';
import { providerNameOf } from '../requests/names';

/**
 * What the lines of a series are called: those of `known` (keys, accounts) by their names, providers and
 * models as they are known to people.
 */
export function useLineNames(known: readonly { id: string; name: string }[] | undefined): (line: string) => string {
  return useCallback((line) => known?.find(({ id }) => id === line)?.name ?? providerNameOf(line), [known]);
}
