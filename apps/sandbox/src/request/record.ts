import { Refusal } from './refusal';
import { isCut, withShortData } from './short-data';
import type { CutData } from './short-data';

/** How long data came that is longer than what was parsed of it, by the object that has it and its name. */
const wholeLengths = new WeakMap<object, Map<string, number>>();

/** True for a JSON object (not an array, not null). */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The JSON object that a body holds. @throws Refusal when it holds none. */
export function readRecord(body: Buffer): Record<string, unknown> {
  let parsed: unknown;
  try {
    const cut: CutData[] = [];
    const json = withShortData(body, (data) => cut.push(data)).toString('utf8');
    parsed = cut.length === 0 ? JSON.parse(json) : JSON.parse(json, rememberingLengths(cut));
  } catch {
    throw new Refusal('We could not parse the JSON body of your request.');
  }
  if (!isRecord(parsed)) throw new Refusal('The request body must be a JSON object.');
  return parsed;
}

/** How long a text of this name came in what `readRecord` returned. Characters; 0: it is no text. */
export function lengthOf(holder: Record<string, unknown>, name: string): number {
  const text = holder[name];
  return wholeLengths.get(holder)?.get(name) ?? (typeof text === 'string' ? text.length : 0);
}

function rememberingLengths(cut: readonly CutData[]) {
  const left = [...cut];
  return function (this: object, name: string, value: unknown): unknown {
    if (typeof value !== 'string') return value;
    // Two that look alike now come in the order in which they stood.
    const at = left.findIndex((data) => isCut(data, value));
    const [data] = at < 0 ? [] : left.splice(at, 1);
    if (data) wholeLengths.set(this, (wholeLengths.get(this) ?? new Map<string, number>()).set(name, data.wholeLength));
    return value;
  };
}
