import { isRecord } from './json-value';

/**
 * `first`: the text of a part of a message; `next`: of one that follows such a part, so that both read as
 * one; null: any other.
 */
export type PartPlace = 'first' | 'next' | null;
export type MapText = (text: string, part: PartPlace) => string;
export type MapName = (name: string) => string;

/**
 * Formats allow few characters in names.
 * https://platform.openai.com/docs/api-reference/chat/create
 */
export function asName(text: string, mapped: string): string {
  return mapped === text ? text : mapped.replace(/[^\w-]/g, '_');
}

/** Numbers too: that of an account may be one. */
export function mapLeaves(value: unknown, map: MapText, mapName: MapName): unknown {
  if (typeof value === 'string') return map(value, null);
  if (typeof value === 'number') return mapNumber(value, map);
  if (Array.isArray(value)) return mapArray(value, (item) => mapLeaves(item, map, mapName));
  return isRecord(value) ? mapNamed(value, mapName, (_name, inner) => mapLeaves(inner, map, mapName)) : value;
}

export function mapNumber(value: number, map: MapText): unknown {
  const text = String(value);
  const mapped = map(text, null);
  return mapped === text ? value : mapped;
}

/**
 * Tells names apart that became the same: all but the first get a number. Of thousands each takes one step.
 */
export function distinctNames(): (name: string) => string {
  const taken = new Set<string>();
  const numbers = new Map<string, number>();
  return (name) => {
    let written = name;
    let number = numbers.get(name) ?? 1;
    while (taken.has(written)) written = `${name}_${++number}`;
    numbers.set(name, number);
    taken.add(written);
    return written;
  };
}

/** The names of a record too, which stay apart. */
export function mapNamed(
  record: Record<string, unknown>,
  mapName: MapName,
  map: (name: string, value: unknown) => unknown,
): unknown {
  const mapped: [string, unknown][] = [];
  const distinct = distinctNames();
  let hasChanged = false;
  for (const [name, value] of Object.entries(record)) {
    const written = distinct(mapName(name));
    const inner = map(name, value);
    hasChanged ||= written !== name || inner !== value;
    mapped.push([written, inner]);
  }
  return hasChanged ? Object.fromEntries(mapped) : record;
}

export function mapArray(items: readonly unknown[], map: (item: unknown, index: number) => unknown): unknown {
  const mapped = items.map((item, index) => map(item, index));
  return mapped.every((item, index) => item === items[index]) ? items : mapped;
}
