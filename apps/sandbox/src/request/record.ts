import { Refusal } from './refusal';
import { withShortData } from './short-data';

/** True for a JSON object (not an array, not null). */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The JSON object that a body holds. @throws Refusal when it holds none. */
export function readRecord(body: Buffer): Record<string, unknown> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(withShortData(body).toString('utf8'));
  } catch {
    throw new Refusal('We could not parse the JSON body of your request.');
  }
  if (!isRecord(parsed)) throw new Refusal('The request body must be a JSON object.');
  return parsed;
}
