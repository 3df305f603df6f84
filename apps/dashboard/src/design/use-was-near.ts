import { useCallback, useState } from 'react';

/** Nobody scrolls so far before it is there. */
const nearPx = 300;

/**
 * Whether an element came near the window, or was in it, and what to give it as its `ref`. What is further
 * down on a page need not be asked for, or drawn, before somebody goes there.
 */
export function useWasNear(): [(element: Element | null) => (() => void) | undefined, boolean] {
  const [wasNear, setWasNear] = useState(false);
  const watch = useCallback((element: Element | null) => {
    if (!element) return undefined;
    const observer = new IntersectionObserver(
      (seen) => {
        if (seen.some(({ isIntersecting }) => isIntersecting)) setWasNear(true);
      },
      { rootMargin: `${nearPx}px` },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return [watch, wasNear];
}
