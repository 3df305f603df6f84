import { isRecord, parseJson } from '../wire/json-value';

/** A value in a body that holds no others, and where it stands. */
export interface Leaf {
  path: readonly (string | number)[];
  value: unknown;
}

/** Every leaf of a value; empty objects and arrays count as leaves. */
export function leavesIn(value: unknown, path: Leaf['path'] = []): Leaf[] {
  const members: [string | number, unknown][] = Array.isArray(value)
    ? [...value.entries()]
    : isRecord(value)
      ? Object.entries(value)
      : [];
  return members.length === 0
    ? [{ path, value }]
    : members.flatMap(([name, member]) => leavesIn(member, [...path, name]));
}

/** As our messages write it: `messages[0].content`. */
export function pathText(path: Leaf['path']): string {
  return path
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`))
    .join('')
    .replace(/^\./, '');
}

/** A copy of the body in which `change` was made to the object or array that holds the last step. */
export function changedAt(
  body: Record<string, unknown>,
  path: Leaf['path'],
  change: (holder: Record<string, unknown> | unknown[], step: string | number) => void,
): Record<string, unknown> {
  const copy = structuredClone(body);
  let holder: unknown = copy;
  for (const step of path.slice(0, -1)) holder = memberOf(holder, step);
  const last = path.at(-1);
  if (last !== undefined && (isRecord(holder) || Array.isArray(holder))) change(holder, last);
  return copy;
}

/** The body without one leaf. */
export function without(body: Record<string, unknown>, { path }: Leaf): Record<string, unknown> {
  return changedAt(body, path, (holder, step) => {
    if (Array.isArray(holder)) holder.splice(Number(step), 1);
    else delete holder[step];
  });
}

/** The body with another value in the place of one leaf. */
export function altered(body: Record<string, unknown>, { path, value }: Leaf): Record<string, unknown> {
  const other = typeof value === 'boolean' ? !value : typeof value === 'number' ? value + 1 : `${String(value)}x`;
  return changedAt(body, path, (holder, step) => {
    if (Array.isArray(holder)) holder[Number(step)] = other;
    else holder[step] = other;
  });
}

/** Every text and number in a value, names of members included, JSON inside of texts read too. */
export function wordsIn(value: unknown): { texts: string; numbers: ReadonlySet<number> } {
  const texts: string[] = [];
  const numbers = new Set<number>();
  const visit = (each: unknown): void => {
    if (typeof each === 'number') numbers.add(each);
    else if (typeof each === 'string') {
      texts.push(each);
      const inner = /^[[{]/.test(each) ? parseJson(each) : undefined;
      if (inner !== undefined) visit(inner);
    } else if (Array.isArray(each)) each.forEach(visit);
    else if (isRecord(each))
      for (const [name, member] of Object.entries(each)) {
        texts.push(name);
        visit(member);
      }
  };
  visit(value);
  return { texts: texts.join('\n\n'), numbers };
}

function memberOf(holder: unknown, step: string | number): unknown {
  if (Array.isArray(holder)) return holder[Number(step)] as unknown;
  return isRecord(holder) ? holder[step] : undefined;
}
