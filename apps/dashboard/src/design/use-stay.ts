import { useEffect } from 'react';

/**
 * For what is shown only once: while it is (`isShown`), Back leads to the same page, and the browser asks
 * before it reloads it or closes the tab.
 */
export function useStay(isShown = true): void {
  useEffect(() => {
    if (!isShown) return undefined;
    const { href } = location;
    const stay = () => history.pushState(history.state, '', href);
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    stay();
    addEventListener('popstate', stay);
    addEventListener('beforeunload', ask);
    return () => {
      removeEventListener('popstate', stay);
      removeEventListener('beforeunload', ask);
      // The page stands twice in the history by now.
      if (location.href === href) history.back();
    };
  }, [isShown]);
}
