import type { SortingState } from '@tanstack/react-table';

/**
 * How a table is sorted, as an address says it: the id of a column, with a minus in front for the largest
 * first.
 */
export function sortFrom(text: string | null, columnIds: readonly string[]): SortingState {
  const desc = text?.startsWith('-') ?? false;
  const id = desc ? text?.slice(1) : text;
  return id && columnIds.includes(id) ? [{ id, desc }] : [];
}

/** Null: it is not sorted. */
export function sortText([first]: SortingState): string | null {
  return first ? `${first.desc ? '-' : ''}${first.id}` : null;
}
