import { isRecord, recordIn } from '../wire/json-value';

/**
 * Keywords that structured outputs refuse:
 * https://platform.claude.com/docs/en/build-with-claude/structured-outputs#json-schema-limitations They are
 * told to the model in words, as Anthropic's own libraries do.
 */
const unenforced = [
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'maxItems',
  'uniqueItems',
  'minProperties',
  'maxProperties',
];

/** Keywords of which an object's form cannot be known beforehand. */
const open = ['patternProperties', 'propertyNames', 'unevaluatedProperties', 'not', 'if'];

/**
 * A schema as structured outputs take it, with the names of the keywords that went into descriptions; null
 * when it has objects of open form or refers to itself.
 */
export function toStructuredSchema(
  schema: Record<string, unknown>,
): { schema: Record<string, unknown>; reworded: string[] } | null {
  const reworded = new Set<string>();
  const closed = hasCycle(schema) ? null : closedForm(schema, reworded);
  return isRecord(closed) && closed.type === 'object' ? { schema: closed, reworded: [...reworded] } : null;
}

/** Null when some object in it is open. */
function closedForm(value: unknown, reworded: Set<string>): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item) => closedForm(item, reworded));
    return items.includes(null) ? null : items;
  }
  if (!isRecord(value)) return value;
  if (open.some((name) => name in value) || isOpenObject(value)) return null;
  const closed: Record<string, unknown> = isObjectSchema(value) ? { additionalProperties: false } : {};
  const words: string[] = [];
  for (const [name, member] of Object.entries(value)) {
    if (isUnenforced(name, member)) {
      words.push(`${name}: ${JSON.stringify(member)}`);
      reworded.add(name);
      continue;
    }
    const inner = holdsSchemas(name) ? closedMember(name, member, reworded) : member;
    if (inner === null && member !== null) return null;
    closed[name] = inner;
  }
  return words.length === 0 ? closed : { ...closed, description: describe(closed.description, words) };
}

/** The members of `properties` and `$defs` are schemas by name, not keywords. */
function closedMember(name: string, member: unknown, reworded: Set<string>): unknown {
  if (name !== 'properties' && !isDefinitions(name)) return closedForm(member, reworded);
  if (!isRecord(member)) return null;
  const entries = Object.entries(member).map(([key, schema]) => [key, closedForm(schema, reworded)] as const);
  return entries.some(([, schema]) => schema === null) ? null : Object.fromEntries(entries);
}

function holdsSchemas(name: string): boolean {
  return ['properties', '$defs', 'definitions', 'items', 'anyOf', 'allOf', 'oneOf', 'prefixItems'].includes(name);
}

function isUnenforced(name: string, member: unknown): boolean {
  return unenforced.includes(name) || (name === 'minItems' && member !== 0 && member !== 1);
}

function isObjectSchema(schema: Record<string, unknown>): boolean {
  return schema.type === 'object' || (Array.isArray(schema.type) && schema.type.includes('object'));
}

function isOpenObject(schema: Record<string, unknown>): boolean {
  if (!isObjectSchema(schema)) return false;
  const { additionalProperties: more } = schema;
  return (more !== undefined && more !== false) || !isRecord(schema.properties);
}

function describe(description: unknown, words: readonly string[]): string {
  const told = `{${words.join(', ')}}`;
  return typeof description === 'string' ? `${description}\n\n${told}` : told;
}

/**
 * True when a definition leads back to itself, or a reference leads out of the schema. Each definition is
 * looked at once, however often it is used.
 */
function hasCycle(schema: Record<string, unknown>): boolean {
  const definitions = { ...recordIn(schema, 'definitions'), ...recordIn(schema, '$defs') };
  const visited = new Map<string, 'open' | 'done'>();
  const leadsBack = (value: unknown): boolean => {
    if (Array.isArray(value)) return value.some(leadsBack);
    if (!isRecord(value)) return false;
    if (typeof value.$ref === 'string' && refersBack(value.$ref)) return true;
    return Object.entries(value).some(([name, member]) => !isDefinitions(name) && leadsBack(member));
  };
  const refersBack = (reference: string): boolean => {
    const name = /^#\/(?:\$defs|definitions)\/([^/]+)$/.exec(reference)?.[1];
    if (name === undefined || visited.get(name) === 'open') return true;
    if (visited.has(name)) return false;
    visited.set(name, 'open');
    const back = leadsBack(definitions[name]);
    visited.set(name, 'done');
    return back;
  };
  return leadsBack(schema);
}

function isDefinitions(name: string): boolean {
  return name === '$defs' || name === 'definitions';
}
