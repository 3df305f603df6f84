import { isRecord, recordIn } from '../wire/json-value';

type Schema = Record<string, unknown>;

const unions = ['allOf', 'anyOf', 'oneOf'] as const;
/** Where schemas stand by name, alone, and in lists. */
const byName = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'];
const alone = ['items', 'additionalProperties', 'not', 'if', 'then', 'else', 'contains', 'propertyNames'];
const listed = [...unions, 'prefixItems'];

/**
 * The schema of a tool's arguments as Claude takes it: one of an object, in the words of JSON Schema 2020-12,
 * and without unions at its top, whose alternatives the description tells. `told`: that description; null:
 * there was nothing to tell.
 * https://github.com/AlexGladkov/claude-in-mobile/issues/57 https://github.com/Dokploy/mcp/issues/74
 * https://github.com/windoze95/cantinarr/issues/497
 */
export function toToolSchema(parameters: Schema = { type: 'object', properties: {} }): {
  schema: Schema;
  told: string | null;
} {
  const { $schema: _draft, ...schema } = current(parameters);
  const found = unions.filter((name) => Array.isArray(schema[name]));
  if (found.length === 0) return { schema: { ...schema, type: 'object' }, told: null };
  const options = found.flatMap((name) => optionsOf(schema, name));
  const rules = Object.fromEntries(found.map((name) => [name, schema[name]]));
  const kept = Object.fromEntries(Object.entries(schema).filter(([name]) => !Object.hasOwn(rules, name)));
  const all = Object.assign(
    {},
    ...options.map((option) => recordIn(option, 'properties')),
    recordIn(schema, 'properties'),
  ) as Schema;
  const required = [...new Set([...namesIn(schema), ...optionsOf(schema, 'allOf').flatMap(namesIn)])];
  return {
    schema: { ...kept, type: 'object', properties: all, ...(required.length > 0 && { required }) },
    told: `The input must match this schema, too: ${JSON.stringify(rules)}`,
  };
}

/** The description of a tool with what is told of its schema. */
export function toldBeside(description: string | undefined, told: string | null): string | undefined {
  return told === null ? description : [description, told].filter((text) => text !== undefined).join('\n\n');
}

/** What a caller reads of unions that are no longer enforced. */
export function reworded(name: string): string {
  return `allOf, anyOf and oneOf at the top of the schema of ${name} became words: this model takes none there`;
}

function optionsOf(schema: Schema, name: string): Schema[] {
  const options: unknown[] = Array.isArray(schema[name]) ? schema[name] : [];
  return options.filter(isRecord);
}

function namesIn({ required }: Schema): string[] {
  return Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];
}

/** A schema of an older draft in the words of 2020-12, whatever it holds. */
function current(schema: Schema): Schema {
  const written: Schema = {};
  for (const [name, value] of Object.entries(schema)) {
    if (byName.includes(name) && isRecord(value)) written[name] = mapped(value);
    else if (alone.includes(name) && isRecord(value)) written[name] = current(value);
    else if (listed.includes(name) && Array.isArray(value)) written[name] = value.map(currentIn);
    else written[name] = value;
  }
  return withBounds(withItems(withRequired(written, schema)));
}

function currentIn(value: unknown): unknown {
  return isRecord(value) ? current(value) : value;
}

function mapped(schemas: Schema): Schema {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, currentIn(schema)]));
}

/** Of draft 3 each property says whether it is required. */
function withRequired(schema: Schema, asked: Schema): Schema {
  const named = Object.entries(recordIn(asked, 'properties')).filter(
    ([, each]) => isRecord(each) && each.required === true,
  );
  const { required, ...rest } = schema;
  if (named.length === 0) return typeof required === 'boolean' ? rest : schema;
  return { ...rest, required: [...new Set([...namesIn(schema), ...named.map(([name]) => name)])] };
}

/** Until 2019-09 a list of schemas was `items`, and `additionalItems` what follows it. */
function withItems(schema: Schema): Schema {
  if (!Array.isArray(schema.items)) return schema;
  const { items, additionalItems, ...rest } = schema;
  const further = additionalItems === undefined ? {} : { items: currentIn(additionalItems) };
  return { ...rest, prefixItems: (items as unknown[]).map(currentIn), ...further };
}

/** Of draft 4 a bound says of another whether it is one itself. */
function withBounds(schema: Schema): Schema {
  let written = schema;
  for (const [bound, exclusive] of [
    ['minimum', 'exclusiveMinimum'],
    ['maximum', 'exclusiveMaximum'],
  ] as const) {
    const { [exclusive]: isExclusive, [bound]: value, ...rest } = written;
    if (typeof isExclusive !== 'boolean') continue;
    const kept = isExclusive ? exclusive : bound;
    written = value === undefined ? rest : { ...rest, [kept]: value };
  }
  return written;
}
