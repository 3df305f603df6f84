import { useEffect, useState } from 'react';
import { messageOf } from '../api/api-error';
import { useReplaceMe } from './session';

/** A challenge holds for five minutes. */
const offeredMs = 240_000;

/**
 * Has the browser offer passkeys where the address is typed, if it can, for as long as the page is in sight:
 * of several tabs that ask for one, the browser answers the last. Null: nothing went wrong with one that was
 * chosen.
 */
export function usePasskeyAutofill(isHere: boolean): string | null {
  const [problem, setProblem] = useState<string | null>(null);
  const replaceMe = useReplaceMe();
  useEffect(() => {
    if (!isHere) return undefined;
    let isOver = false;
    // Without its code nothing is offered; the button tells of it.
    const loaded = import('./passkey').catch(() => null);
    const offer = async () => {
      const passkey = await loaded;
      if (!passkey || isOver || document.visibilityState !== 'visible') return;
      try {
        const me = await passkey.offerPasskeys();
        if (me && !isOver) replaceMe(me);
      } catch (error) {
        if (!isOver) setProblem(messageOf(error));
      }
    };
    const again = () => void offer();
    again();
    const timer = setInterval(again, offeredMs);
    document.addEventListener('visibilitychange', again);
    return () => {
      isOver = true;
      clearInterval(timer);
      document.removeEventListener('visibilitychange', again);
      void loaded.then((passkey) => passkey?.withdrawPasskeys());
    };
  }, [isHere, replaceMe]);
  return problem;
}
