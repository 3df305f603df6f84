import { isRecord } from '../request/record';

const deepest = 8;

interface Example {
  /** What stands for any text. */
  text: string;
  /** The schema that references point into. */
  root: unknown;
}

/**
 * A value that fits a JSON schema, also one in OpenAPI's words as Gemini takes: every property filled,
 * enumerations with their first value. `text` stands for any text.
 */
export function exampleOf(schema: unknown, text = 'example'): unknown {
  return example(schema, { text, root: schema }, 0);
}

function example(schema: unknown, given: Example, depth: number): unknown {
  if (!isRecord(schema)) return depth === 0 ? {} : given.text;
  if (typeof schema.$ref === 'string')
    return depth < deepest ? example(referred(schema.$ref, given.root), given, depth + 1) : null;
  if (schema.const !== undefined) return schema.const;
  if (Array.isArray(schema.enum)) return schema.enum[0] as unknown;
  const [option] = [schema.anyOf, schema.oneOf, schema.allOf].flatMap((list): unknown[] =>
    Array.isArray(list) ? list : [],
  );
  if (option !== undefined) return example(option, given, depth + 1);
  switch (typeOf(schema)) {
    case 'number':
    case 'integer':
      return numberFor(schema);
    case 'boolean':
      return true;
    case 'null':
      return null;
    case 'array':
      return depth < deepest ? itemsFor(schema, given, depth) : [];
    case 'object':
      return objectFor(schema, given, depth);
    default:
      return depth === 0 ? objectFor(schema, given, depth) : textFor(schema, given.text);
  }
}

function typeOf({ type }: Record<string, unknown>): string {
  const [first] = Array.isArray(type) ? (type as unknown[]) : [type];
  return typeof first === 'string' ? first.toLowerCase() : '';
}

function numberFor({ minimum, maximum }: Record<string, unknown>): number {
  const usual = 7;
  if (typeof minimum === 'number' && minimum > usual) return minimum;
  return typeof maximum === 'number' && maximum < usual ? maximum : usual;
}

function itemsFor(schema: Record<string, unknown>, given: Example, depth: number): unknown[] {
  const count = typeof schema.minItems === 'number' ? schema.minItems : 1;
  return Array.from({ length: count }, () => example(schema.items, given, depth + 1));
}

function objectFor(schema: Record<string, unknown>, given: Example, depth: number): Record<string, unknown> {
  const properties = isRecord(schema.properties) && depth < deepest ? Object.entries(schema.properties) : [];
  return Object.fromEntries(properties.map(([name, property]) => [name, example(property, given, depth + 1)]));
}

function textFor({ maxLength, minLength }: Record<string, unknown>, text: string): string {
  const long = typeof minLength === 'number' ? text.padEnd(minLength, 'x') : text;
  return typeof maxLength === 'number' ? long.slice(0, maxLength) : long;
}

/** What `#/$defs/name` points to; anything for what it does not find. */
function referred(reference: string, root: unknown): unknown {
  let found: unknown = root;
  for (const name of reference.split('/').slice(1)) found = isRecord(found) ? found[name] : undefined;
  return found;
}
