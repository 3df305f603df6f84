/** Not before so many deletions is a table left behind, however small it is. */
const fewest = 64;

/**
 * A Map that lives long, of entries that do not: of what is under way, say. Where deletions have
 * filled the table of a Map, V8 gives it a new one, and the old table refers to the new one for the
 * sake of iterators. As soon as one table is an old object, dead or not, each later one is held by the
 * one before it, and with it all that was in it: every request that was over outlived the collections
 * of young objects, until the next full one. Here a table that has seen more deletions than entries is
 * left for one that nothing refers to.
 * @see https://github.com/v8/v8/blob/main/src/objects/ordered-hash-table.h (`NextTableIndex`)
 */
export class TransientMap<Key, Value> {
  private entries = new Map<Key, Value>();
  private deletions = 0;

  get size(): number {
    return this.entries.size;
  }

  get(key: Key): Value | undefined {
    return this.entries.get(key);
  }

  has(key: Key): boolean {
    return this.entries.has(key);
  }

  set(key: Key, value: Value): void {
    this.entries.set(key, value);
  }

  /** Whether it was there. A loop may delete what it is at; others that it deletes may still come. */
  delete(key: Key): boolean {
    const wasThere = this.entries.delete(key);
    if (wasThere && ++this.deletions > Math.max(fewest, this.entries.size)) {
      this.entries = new Map(this.entries);
      this.deletions = 0;
    }
    return wasThere;
  }

  clear(): void {
    this.entries = new Map();
    this.deletions = 0;
  }

  /** In the order in which they were set first. */
  keys(): MapIterator<Key> {
    return this.entries.keys();
  }

  values(): MapIterator<Value> {
    return this.entries.values();
  }

  [Symbol.iterator](): MapIterator<[Key, Value]> {
    return this.entries[Symbol.iterator]();
  }
}

/** A Set like that. */
export class TransientSet<Value> {
  private readonly entries = new TransientMap<Value, true>();

  get size(): number {
    return this.entries.size;
  }

  has(value: Value): boolean {
    return this.entries.has(value);
  }

  add(value: Value): void {
    this.entries.set(value, true);
  }

  /** Whether it was there. A loop may delete what it is at; others that it deletes may still come. */
  delete(value: Value): boolean {
    return this.entries.delete(value);
  }

  clear(): void {
    this.entries.clear();
  }

  /** In the order in which they were added. */
  [Symbol.iterator](): MapIterator<Value> {
    return this.entries.keys();
  }
}
