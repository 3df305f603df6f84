import { z } from 'zod';
import type { SettingsReport } from './settings-report';

type Path = readonly PropertyKey[];

/** How long the beginning of a path is that goes with what cannot be read at its end. */
export type GoesWith = (path: Path) => number;

/** What was taken out: of whom, and by whom that is held; `odd`: what could not be read, and why. */
interface Taken {
  holders: readonly object[];
  path: Path;
  setting: string;
  odd: { path: Path; message: string };
}

const alone: GoesWith = (path) => path.length;

/**
 * What was read, in the form of `schema`, without what has another: each entry of that kind is told as not
 * carried, and costs no other. What must be there and cannot be read takes with it what it is of.
 * @throws ZodError where nothing is left
 */
export function sift<Schema extends z.ZodType>(
  schema: Schema,
  said: unknown,
  report: SettingsReport,
  goesWith = alone,
): z.output<Schema> {
  const rest: unknown = structuredClone(said);
  let taken: Taken[] = [];
  let first: z.ZodError | null = null;
  for (;;) {
    const { success, data, error } = schema.safeParse(rest);
    if (success) {
      for (const one of taken) report.left(one.setting, noteOf(one));
      return data;
    }
    first ??= error;
    const found = new Map<string, Taken>();
    for (const { path, message } of error.issues) {
      const one = placeOf(rest, path.slice(0, goesWith(path)), { path, message });
      if (one === null) throw first;
      const name = JSON.stringify(one.path);
      if (!found.has(name)) found.set(name, one);
    }
    taken = [...found.values()].reduce((before, one) => withTaken(before, one), taken);
    takeOut([...found.values()]);
  }
}

/** The end of a path, or what would hold it where there is none; null: that is the whole. */
function placeOf(said: unknown, path: Path, odd: Taken['odd']): Taken | null {
  const holders: object[] = [];
  let value = said;
  for (const name of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) break;
    holders.push(value);
    value = Reflect.get(value, name);
  }
  const there = path.slice(0, holders.length);
  return there.length === 0 ? null : { holders, path: there, setting: settingOf(there, value), odd };
}

/** What was taken out of something is not told where that is taken out, but for the first, which is why. */
function withTaken(before: readonly Taken[], one: Taken): Taken[] {
  const value = valueOf(one);
  const inside = before.filter(({ holders }) => holders.some((holder) => holder === value));
  const odd = inside[0]?.odd ?? one.odd;
  return [...before.filter((other) => !inside.includes(other)), { ...one, odd }];
}

/** From the end on, so that places in a list stay what they are. */
function takeOut(found: readonly Taken[]): void {
  const places = found.flatMap(({ holders, path }) => {
    const [holder, name] = [holders.at(-1), path.at(-1)];
    return holder === undefined || name === undefined ? [] : [{ holder, name }];
  });
  for (const { holder, name } of places.toSorted((a, b) => Number(b.name) - Number(a.name)))
    if (Array.isArray(holder)) holder.splice(Number(name), 1);
    else Reflect.deleteProperty(holder, name);
}

function valueOf({ holders, path }: Taken): unknown {
  const [holder, name] = [holders.at(-1), path.at(-1)];
  return holder === undefined || name === undefined ? undefined : Reflect.get(holder, name);
}

/** An entry of a list by its name or number, a field as it is called within its entry. */
function settingOf(path: Path, value: unknown): string {
  const last = path.findLastIndex((name) => typeof name === 'number');
  if (last < path.length - 1) return path.slice(last + 1).join('.');
  const list = path.slice(0, last).filter((name) => typeof name !== 'number');
  return `${list.join('.')}: ${named.parse(value) ?? `entry ${Number(path[last]) + 1}`}`;
}

const name = z.union([z.string().min(1), z.number().transform(String)]).optional();
const named = z
  .looseObject({ model_name: name, credential_name: name, name, id: name })
  .transform((one) => one.model_name ?? one.credential_name ?? one.name ?? one.id)
  .catch(undefined);

function noteOf({ path, odd }: Taken): string {
  const what = odd.path.slice(path.length).join('.') || 'what it holds';
  return `${what} cannot be read (${odd.message}): write it by hand where it belongs`;
}
