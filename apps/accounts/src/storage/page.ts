import { ControlError } from '@tollgate/contracts';
import { isUuid } from './uuid';

/** One page of things, the newest first; `next` is the cursor of the page after it, null when there is none. */
export interface Page<Item> {
  items: Item[];
  next: string | null;
}

/**
 * Reads one page. Ids are made in the order of time, so the id of a page's last item is the cursor. `find` gets the condition on ids and how many to read.
 * @throws ControlError `invalid` when `after` is no cursor.
 */
export async function readPage<Item extends { id: string }>(
  { limit, after }: { limit: number; after?: string | undefined },
  find: (id: { lt: string } | undefined, take: number) => Promise<Item[]>,
): Promise<Page<Item>> {
  if (after !== undefined && !isUuid(after)) throw new ControlError('invalid', 'after: this is not the end of a page.');
  // One more than asked for tells whether there is a next page.
  const found = await find(after === undefined ? undefined : { lt: after }, limit + 1);
  const items = found.slice(0, limit);
  return { items, next: found.length > limit ? (items.at(-1)?.id ?? null) : null };
}
