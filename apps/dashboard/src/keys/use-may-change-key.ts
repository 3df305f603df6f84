import { useCallback } from 'react';
import type { OwnKey } from '../api/keys';
import { useMay, useSession } from '../session/session';

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
