import { isRecord } from './json-value';

/** Members that say what something is, or which: they come whole. Every other text comes in pieces. */
const whole = new Set(['id', 'type', 'role', 'name', 'object', 'format']);

/**
 * Adds a delta of a stream to what came before, which it changes: texts grow, items of lists are found again
 * by their `index`, everything else is replaced.
 */
export function mergeDelta(target: Record<string, unknown>, delta: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(delta)) {
    const before = Object.hasOwn(target, name) ? target[name] : undefined;
    if (typeof value === 'string' && typeof before === 'string' && !whole.has(name)) target[name] = before + value;
    else if (isRecord(value) && isRecord(before)) mergeDelta(before, value);
    else if (Array.isArray(value) && Array.isArray(before)) mergeItems(before, value);
    else if (name !== '__proto__' && (value !== null || before === undefined)) target[name] = structuredCopy(value);
  }
}

/** Items without an index are added. */
function mergeItems(target: unknown[], items: readonly unknown[]): void {
  for (const item of items) {
    const known = isRecord(item) && typeof item.index === 'number' && target.find((one) => isSame(one, item.index));
    if (isRecord(item) && isRecord(known)) mergeDelta(known, item);
    else target.push(structuredCopy(item));
  }
}

function isSame(one: unknown, index: unknown): boolean {
  return isRecord(one) && one.index === index;
}

/** What is merged into later must not be the event's own. Items of a first delta may repeat an index too. */
function structuredCopy(value: unknown): unknown {
  if (Array.isArray(value)) {
    const copy: unknown[] = [];
    mergeItems(copy, value);
    return copy;
  }
  if (!isRecord(value)) return value;
  const copy: Record<string, unknown> = {};
  mergeDelta(copy, value);
  return copy;
}
