/** True for a JSON object (not an array, not null). */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The text as JSON; undefined when it is malformed. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * The members that are not undefined, in their order. None may be called `__proto__`: see `parseRequestJson`,
 * which refuses those.
 */
export function defined(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const kept: Record<string, unknown> = {};
  for (const name of Object.keys(fields)) if (fields[name] !== undefined) kept[name] = fields[name];
  return kept;
}

/** A member that is an object, else an empty one. */
export function recordIn(value: unknown, name: string): Record<string, unknown> {
  const member = isRecord(value) ? value[name] : undefined;
  return isRecord(member) ? member : {};
}

/** A member that is a text, else null. */
export function textIn(value: unknown, name: string): string | null {
  const member = isRecord(value) ? value[name] : undefined;
  return typeof member === 'string' ? member : null;
}
