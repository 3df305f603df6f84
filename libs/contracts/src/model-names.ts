import type { CatalogModel } from './catalog';

/**
 * The context-window mark of Claude Code: `claude-opus-5[1m]`. https://code.claude.com/docs/en/model-config
 */
const windowMark = /\[1m\]$/i;
/** The day of a snapshot: `-2025-04-14`, `-20250929`, `@20250929`. */
const snapshotDay = /(?:-\d{4}-\d{2}-\d{2}|[-@]\d{8})$/;
/** No name of a model is longer, and no other character is in one. */
const plainName = /^[\x21-\x7e]{1,200}$/;

/** The name without its provider. */
export function bareName({ id, provider }: Pick<CatalogModel, 'id' | 'provider'>): string {
  return id.startsWith(`${provider}/`) ? id.slice(provider.length + 1) : id;
}

/**
 * A name as it is compared where spelling does not count: `claude-sonnet-4.5` and `Claude-Sonnet-4-5` are
 * one.
 */
export function spelling(name: string): string {
  return name.toLowerCase().replaceAll(/[._:@]/g, '-');
}

/**
 * What a name may be short or long for, the likeliest first: as it is, and without the marks that clients add
 * to names.
 */
export function formsOf(name: string): string[] {
  if (!plainName.test(name)) return [name];
  const unmarked = name.replace(windowMark, '');
  return [...new Set([name, unmarked, unmarked.replace(snapshotDay, '')])];
}

/** The pairs of letters that are in a name, by which names are compared. */
export function pairsOf(name: string): ReadonlySet<string> {
  const text = spelling(name);
  const found = new Set<string>();
  for (let at = 0; at + 1 < text.length; at++) found.add(text.slice(at, at + 2));
  return found;
}

/** How alike two names with these pairs are, 0 to 1: by the pairs that both have (Dice's coefficient). */
export function likeness(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  if (one.size + other.size === 0) return 0;
  let shared = 0;
  for (const pair of one) if (other.has(pair)) shared++;
  return (2 * shared) / (one.size + other.size);
}
