import { useState } from 'react';
import { useSearch } from '../app/use-search';
import { rangeFrom, searchOf } from './range';
import type { Range, RangeName } from './range';

/** The range of a page, kept in its address. */
export function useRange(otherwise: RangeName = 'day'): [Range, (range: Range) => void] {
  const [search, change] = useSearch();
  const [openedAt] = useState(() => Date.now());
  return [rangeFrom(search, openedAt, otherwise), (range) => change(searchOf(range))];
}
