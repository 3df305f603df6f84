/**
 * What is read of each item, in their order; of no more than `most` at the same time.
 * @throws what `read` throws.
 */
export async function someAtOnce<Item, Read>(
  items: readonly Item[],
  most: number,
  read: (item: Item) => Promise<Read>,
): Promise<Read[]> {
  const all: Read[] = [];
  for (let first = 0; first < items.length; first += most)
    all.push(...(await Promise.all(items.slice(first, first + most).map(read))));
  return all;
}
