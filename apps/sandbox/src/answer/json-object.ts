import { isRecord } from '../request/record';

/** The object in a call's arguments; an empty one where they were cut. */
export function jsonObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}
