import { useEffect, useRef } from 'react';
import { z } from 'zod/mini';
import { useStored } from '../session/stored';

const flag = z.boolean();

/**
 * Whether single keys are shortcuts: who speaks to their computer, or types by mistake, switches them off.
 */
export const useSingleKeys = () => useStored('single keys', flag, true);

/** A person who types means no shortcut. */
const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)) &&
  !(target instanceof HTMLInputElement && /^(radio|checkbox|button)$/.test(target.type));

/**
 * Calls `onKey` for every single key that is pressed while nobody types, and no dialog but `within` is open.
 * https://www.w3.org/WAI/WCAG22/Understanding/character-key-shortcuts
 */
export function useKey(onKey: (key: string, event: KeyboardEvent) => void, within: 'page' | 'dialog' = 'page'): void {
  const [on] = useSingleKeys();
  const latest = useRef(onKey);
  useEffect(() => {
    latest.current = onKey;
  });
  useEffect(() => {
    if (!on) return;
    const listen = (event: KeyboardEvent) => {
      const hasModifier = event.ctrlKey || event.metaKey || event.altKey || event.isComposing;
      const inDialog = document.querySelector('[role=dialog], [role=menu], [role=alertdialog]') !== null;
      if (hasModifier || event.defaultPrevented || isTyping(event.target) || inDialog !== (within === 'dialog')) return;
      latest.current(event.key.length === 1 ? event.key.toLowerCase() : event.key, event);
    };
    addEventListener('keydown', listen);
    return () => removeEventListener('keydown', listen);
  }, [on, within]);
}

/** What the key is called that shortcuts of programs begin with. */
export const metaKey = (): string => (/mac|iphone|ipad/i.test(navigator.userAgent) ? '⌘' : 'Ctrl');
