import { useSyncExternalStore } from 'react';

/** `system`: as the device is set. */
export type Theme = 'system' | 'light' | 'dark';

const listeners = new Set<() => void>();

function chosen(): Theme {
  const theme = document.documentElement.dataset['theme'];
  return theme === 'light' || theme === 'dark' ? theme : 'system';
}

/** Takes effect at once and stays for the next visit, where the browser lets it. */
export function chooseTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
  try {
    localStorage.setItem('theme', theme);
  } catch {
    // Storage is not allowed: the choice holds until the page is closed.
  }
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  const system = matchMedia('(prefers-color-scheme: dark)');
  listeners.add(listener);
  system.addEventListener('change', listener);
  return () => {
    listeners.delete(listener);
    system.removeEventListener('change', listener);
  };
}

export const useTheme = (): Theme => useSyncExternalStore(subscribe, chosen);

/** Whether the page is dark now, by choice or by the system. */
export const useIsDark = (): boolean =>
  useSyncExternalStore(subscribe, () =>
    chosen() === 'system' ? matchMedia('(prefers-color-scheme: dark)').matches : chosen() === 'dark',
  );
