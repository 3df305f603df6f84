import { Suspense, lazy, useEffect, useRef, useState } from 'react';
import { useNavigate } from 'react-router';
import { useSession } from '../session/session';
import { pathAfterG } from './shortcuts';
import { useKey } from './use-key';

const Palette = lazy(async () => ({ default: (await import('./palette')).Palette }));
const ShortcutList = lazy(async () => ({ default: (await import('./shortcut-list')).ShortcutList }));

/** Within so long the second of two keys must follow. */
const secondKeyMs = 1_500;
const opening = 'tollgate:palette';

/** Opens what Ctrl and K open. */
export const openPalette = (): void => void dispatchEvent(new Event(opening));

/** The ways by keyboard that every page has: a palette to go anywhere, and shortcuts. */
export function QuickWays() {
  const [open, setOpen] = useState<'palette' | 'shortcuts' | null>(null);
  const close = () => setOpen(null);
  const { user } = useSession();
  const navigate = useNavigate();
  const pressedG = useRef(-Infinity);
  useEffect(() => {
    const show = () => setOpen('palette');
    const listen = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey || event.key.toLowerCase() !== 'k')
        return;
      event.preventDefault();
      setOpen((before) => (before === 'palette' ? null : 'palette'));
    };
    addEventListener(opening, show);
    addEventListener('keydown', listen);
    return () => {
      removeEventListener(opening, show);
      removeEventListener('keydown', listen);
    };
  }, []);
  useKey((key, event) => {
    const isSecond = event.timeStamp - pressedG.current < secondKeyMs;
    pressedG.current = key === 'g' ? event.timeStamp : -Infinity;
    const path = isSecond ? pathAfterG(key, user) : null;
    if (path !== null) void navigate(path);
    else if (key === '?') setOpen('shortcuts');
    else if (key === '/' && focusSearch()) event.preventDefault();
  });
  return (
    <Suspense>
      {open === 'palette' && <Palette onClose={close} onShortcuts={() => setOpen('shortcuts')} />}
      {open === 'shortcuts' && <ShortcutList onClose={close} />}
    </Suspense>
  );
}

/** To the field that a page is searched by. Returns whether there is one. */
function focusSearch(): boolean {
  const field = document.querySelector<HTMLInputElement>('main [data-search], main input[type=search]');
  field?.focus();
  field?.select();
  return field !== null;
}
