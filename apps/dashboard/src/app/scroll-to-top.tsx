import { useEffect, useRef } from 'react';
import { useLocation } from 'react-router';

/**
 * A new page begins at its top, with the focus at its content; a change of filters in the address moves
 * nothing.
 */
export function ScrollToTop() {
  const { pathname } = useLocation();
  const before = useRef(pathname);
  useEffect(() => {
    if (before.current === pathname) return;
    before.current = pathname;
    scrollTo(0, 0);
    document.getElementById('main')?.focus({ preventScroll: true });
  }, [pathname]);
  return null;
}
