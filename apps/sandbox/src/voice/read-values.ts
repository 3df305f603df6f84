import { demand } from './neutral-request';
import { isRecord } from './record';

/** The objects of a list. @throws Refusal when it is no list of objects. */
export function objects(value: unknown, name: string): Record<string, unknown>[] {
  demand(Array.isArray(value), `${name}: Input should be a valid list`);
  return value.map((item: unknown, index) => {
    demand(isRecord(item), `${name}.${index}: Input should be an object`);
    return item;
  });
}

/** The objects of a list that may be missing. */
export function optionalObjects(value: unknown, name: string): Record<string, unknown>[] {
  return value === undefined || value === null ? [] : objects(value, name);
}

/** @throws Refusal for a member that nobody knows, as strict providers do. */
export function demandKnown(body: Record<string, unknown>, known: readonly string[], where: string): void {
  for (const name of Object.keys(body)) demand(known.includes(name), `${where}${name}: Extra inputs are not permitted`);
}

/** A number within bounds, or null where none was given. @throws Refusal */
export function numberIn(value: unknown, name: string, least: number, most: number): number | null {
  if (value === undefined || value === null) return null;
  demand(
    typeof value === 'number' && value >= least && value <= most,
    `${name}: must be a number from ${least} to ${most}`,
  );
  return value;
}

/** A positive whole number, or null where none was given. @throws Refusal */
export function limitIn(value: unknown, name: string): number | null {
  const limit = numberIn(value, name, 1, 1_000_000_000);
  demand(limit === null || Number.isInteger(limit), `${name}: must be an integer`);
  return limit;
}

export function textIn(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
