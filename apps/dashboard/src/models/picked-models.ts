/** So many models stand side by side. */
export const mostCompared = 4;

/** Public ids as an address holds them; no more than are compared, each once. */
export const pickedFrom = (text: string | null): string[] =>
  [...new Set(text?.split(' ').filter((id) => id !== ''))].slice(0, mostCompared);

/** What an address says of them; null: nothing. */
export const pickedText = (ids: readonly string[]): string | null => ids.join(' ') || null;

/** With one more, or without it where it is picked. */
export const toggled = (ids: readonly string[], id: string): string[] =>
  ids.includes(id) ? ids.filter((one) => one !== id) : [...ids, id];

/** The page that shows them side by side. */
export const comparePath = (ids: readonly string[]): string =>
  `/compare?${new URLSearchParams({ models: pickedText(ids) ?? '' })}`;
