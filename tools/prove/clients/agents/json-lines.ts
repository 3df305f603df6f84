import type { Told, Usage } from '../client';

type Json = Record<string, unknown>;

/** The JSON objects among the lines of an output, also those that stand in one list. */
export function jsonLines(output: string): Json[] {
  return output.split('\n').flatMap((line) => {
    try {
      const value: unknown = JSON.parse(line);
      return Array.isArray(value) ? value.filter(isJson) : isJson(value) ? [value] : [];
    } catch {
      return [];
    }
  });
}

export function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function member(value: unknown, name: string): Json {
  const found = isJson(value) ? value[name] : undefined;
  return isJson(found) ? found : {};
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The sum of these fields; what is no number counts nothing. */
export function sumOf(object: Json, ...names: string[]): number {
  return names.reduce((sum, name) => sum + (typeof object[name] === 'number' ? object[name] : 0), 0);
}

export function sumOfUsage(all: readonly Usage[]): Usage | null {
  if (all.length === 0) return null;
  return all.reduce((sum, { input, output }) => ({ input: sum.input + input, output: sum.output + output }));
}

/** A failure in a client's words; the status is the first that it names. */
export function failure(message: string): Told {
  const status = /\b(?:401|429)\b/.exec(message)?.[0];
  return { text: '', error: { status: status === undefined ? null : Number(status), message: message.slice(-800) } };
}

/** The object that a text holds; null: none. */
export function parsedForm(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
