import { useQuery } from '@tanstack/react-query';
import { useCallback } from 'react';
import { fetchKeys, type OwnKey } from '../api/keys';
import { useMay, useSession } from '../session/session';
import { pollMs } from '../usage/use-series';

/** The newest hundred keys of one's own, with what they used. */
export const useKeys = () => useQuery({ queryKey: ['keys'], queryFn: () => fetchKeys(), refetchInterval: 2 * pollMs });

/** Tells of a key whether who is signed in may change it, and ask models with it. */
export function useMayChangeKey(): (key: Pick<OwnKey, 'person'>) => boolean {
  const mayChangeOwn = useMay('keys:own');
  const mayChangeAll = useMay('keys:all');
  const { id } = useSession().user;
  return useCallback(
    ({ person }) => mayChangeAll || (mayChangeOwn && person?.id === id),
    [mayChangeAll, mayChangeOwn, id],
  );
}
