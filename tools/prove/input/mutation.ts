import type { Chance } from '@tollgate/testing';
import { hostileValues } from './hostile';

type Holder = Record<string, unknown> | unknown[];

const isHolder = (value: unknown): value is Holder => typeof value === 'object' && value !== null;

/** Every object and list inside a value, with the value itself. */
function holdersIn(value: unknown): Holder[] {
  return isHolder(value) ? [value, ...Object.values(value).flatMap(holdersIn)] : [];
}

/** A copy of a good request with one to three places spoiled: replaced, removed, doubled, moved or added. */
export function mutated(good: object, chance: Chance): unknown {
  const copy: unknown = structuredClone(good);
  for (let count = 1 + chance.below(3); count > 0; count--) spoil(chance.pick(holdersIn(copy)), chance);
  return copy;
}

function spoil(holder: Holder, chance: Chance): void {
  const value = structuredClone(chance.pick(hostileValues));
  if (Array.isArray(holder)) return spoilList(holder, value, chance);
  const names = Object.keys(holder);
  const name = names.length > 0 ? chance.pick(names) : 'extra';
  const act = chance.below(4);
  if (act === 0) Reflect.deleteProperty(holder, name);
  else if (act === 1) holder[chance.pick(['extra', 'type', 'role', 'content', 'model', 'toString'])] = value;
  else if (act === 2) holder[name] = [holder[name], value];
  else holder[name] = value;
}

function spoilList(list: unknown[], value: unknown, chance: Chance): void {
  const index = chance.below(list.length + 1);
  const act = chance.below(4);
  if (act === 0) list.splice(index, 1);
  else if (act === 1) list.splice(index, 0, value);
  else if (act === 2 && isHolder(list[index])) list.splice(index, 0, structuredClone(list[index]));
  else list[index] = value;
}
