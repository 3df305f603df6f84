import { isRecord } from '../wire/json-value';

/**
 * Judges one outgoing stream of a surface, event by event. It knows the dialect's documentation and nothing
 * of the writers, so that it can judge them;
 * one per stream, cheap enough to watch a sample of real streams.
 */
export interface StreamGrammar {
  /**
   * `eventName` is the SSE event's name, '' when it has none; `json` its parsed data, or the string '[DONE]'.
   * Null: legal here; else what is wrong, in words.
   */
  accept(eventName: string, json: unknown): string | null;
  /**
   * The stream closed. Null: it was whole, or it ended with an error of the dialect; else what is missing.
   */
  end(): string | null;
}

type Json = Record<string, unknown>;

/** A rule that was broken; thrown inside a grammar, told by `judged`. */
class Broken extends Error {}

/** Ends the judgement of an event with what is wrong with it. */
export function broken(what: string): never {
  throw new Broken(what);
}

/** The verdict of `judge`: null when it came to its end. */
export function judged(judge: () => void): string | null {
  try {
    judge();
    return null;
  } catch (error) {
    if (error instanceof Broken) return error.message;
    throw error;
  }
}

export function demand(holds: boolean, what: string): void {
  if (!holds) broken(what);
}

export function objectIn(parent: Json, name: string): Json {
  const value = parent[name];
  return isRecord(value) ? value : broken(`${name} is no object`);
}

export function listIn(parent: Json, name: string): unknown[] {
  const value = parent[name];
  return Array.isArray(value) ? value : broken(`${name} is no array`);
}

export function textIn(parent: Json, name: string): string {
  const value = parent[name];
  return typeof value === 'string' ? value : broken(`${name} is no string`);
}

/** A string that names something. */
export function nameIn(parent: Json, name: string): string {
  const value = textIn(parent, name);
  return value === '' ? broken(`${name} is empty`) : value;
}

/** A whole number of 0 or more. */
export function countIn(parent: Json, name: string): number {
  const value = parent[name];
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
    ? value
    : broken(`${name} is no count: ${JSON.stringify(value)}`);
}

export function oneOf(parent: Json, name: string, values: readonly unknown[]): void {
  demand(values.includes(parent[name]), `${name} is ${JSON.stringify(parent[name])}`);
}
