import type { CatalogModel } from './catalog';

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
