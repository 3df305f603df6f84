import { isRecord, recordIn } from '../wire/json-value';

type Schema = Record<string, unknown>;

const unions = ['allOf', 'anyOf', 'oneOf'] as const;
/** Where schemas stand by name, alone, and in lists. */
const byName = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas', 'dependencies'];
const alone = [
  ...['items', 'contains', 'unevaluatedItems', 'additionalProperties', 'unevaluatedProperties', 'propertyNames'],
  ...['not', 'if', 'then', 'else', 'contentSchema'],
];
const listed = [...unions, 'prefixItems'];

/** The schema of a tool that takes no arguments. */
export const noArguments: Schema = { type: 'object', properties: {} };

/**
 * What Claude takes as the name of an argument; one of another form refuses the whole request. Servers of MCP
 * have `$top`, `filter[id]` and names of 70 characters.
 * https://github.com/anthropics/claude-code/issues/79418 https://github.com/ComposioHQ/composio/issues/3500
 */
const legalArgument = /^[a-zA-Z0-9_.-]{1,64}$/;

/** The schema of a tool, and what its description must tell beside it; null: nothing. */
interface TakenSchema {
  schema: Schema;
  told: string | null;
  /** What is told of, as a caller reads it; absent: nothing is. */
  reworded?: readonly string[];
  /** It takes arguments that it does not name, so that nothing can be enforced; absent: it does not have to. */
  isOpen?: true;
}

/**
 * The schema of a tool's arguments as Claude takes it: one of an object, in the words of JSON Schema 2020-12,
 * without unions at its top and with arguments of plain names: the others, and the alternatives, are told in
 * the description.
 * https://github.com/AlexGladkov/claude-in-mobile/issues/57 https://github.com/Dokploy/mcp/issues/74
 * https://github.com/windoze95/cantinarr/issues/497
 */
export function toToolSchema(parameters: Schema = noArguments): TakenSchema {
  return withLegalArguments(withoutUnions(parameters));
}

/** Arguments of other names stay allowed, under their own names, but nothing enforces them. */
function withLegalArguments({ schema, told, reworded = [] }: TakenSchema): TakenSchema {
  const all = Object.entries(recordIn(schema, 'properties'));
  const others = all.filter(([name]) => !legalArgument.test(name));
  if (others.length === 0) return reworded.length === 0 ? { schema, told } : { schema, told, reworded };
  const isOther = new Set(others.map(([name]) => name));
  const demanded = namesIn(schema);
  const required = demanded.filter((name) => isOther.has(name));
  const rules = { properties: Object.fromEntries(others), ...(required.length > 0 && { required }) };
  const words = `The input takes these properties, too: ${JSON.stringify(rules)}`;
  const open = Object.entries(schema).filter(([name, value]) => !(closing.includes(name) && value === false));
  return {
    schema: {
      ...Object.fromEntries(open),
      properties: Object.fromEntries(all.filter(([name]) => !isOther.has(name))),
      ...(demanded.length > 0 && { required: demanded.filter((name) => !isOther.has(name)) }),
    },
    told: told === null ? words : `${told}\n\n${words}`,
    reworded: [...reworded, ...isOther],
    isOpen: true,
  };
}

/** One of an object without unions at its top, in the words of JSON Schema 2020-12. */
export function withoutUnions(parameters: Schema): TakenSchema {
  const referredUnions = new Set<string>();
  const { $schema: _draft, ...schema } = current(parameters, (reference) => {
    const [union, moved] = movedReference(reference, parameters);
    if (union !== null) referredUnions.add(union);
    return moved;
  });
  const found = unions.filter((name) => Array.isArray(schema[name]));
  if (found.length === 0) return { schema: { ...schema, type: 'object' }, told: null };
  const rules = Object.fromEntries(found.map((name) => [name, schema[name]]));
  const shape = new ShapeReader(schema).shape();
  const own = recordIn(schema, 'properties');
  const isClosed = (name: string) => schema[name] === false && shape.isOpen;
  const kept = Object.fromEntries(
    Object.entries(schema).filter(
      ([name]) => !Object.hasOwn(rules, name) && !(closing.includes(name) && isClosed(name)),
    ),
  );
  const properties = {
    ...Object.fromEntries([...shape.properties].map(([name, forms]) => [name, anyOf(forms)])),
    ...own,
  };
  // What is demanded and not described would be impossible in a closed object.
  const undescribed = [...shape.required].filter((name) => !Object.hasOwn(properties, name));
  if (closing.some((name) => kept[name] === false)) for (const name of undescribed) properties[name] = {};
  const required = [...shape.required];
  const referred = [...referredUnions].map((union) => [placeOf(union), { [union]: schema[union] }]);
  const $defs = { ...recordIn(schema, '$defs'), ...(Object.fromEntries(referred) as Schema) };
  return {
    schema: {
      ...kept,
      ...(referred.length > 0 && { $defs }),
      type: 'object',
      properties,
      ...(required.length > 0 && { required }),
    },
    told: `The input must match this schema, too: ${JSON.stringify(rules)}`,
    reworded: ['allOf, anyOf and oneOf at the top'],
  };
}

/** The description of a tool with what is told of its schema. */
export function toldBeside(description: string | undefined, told: string | null): string | undefined {
  return told === null || !description ? (told ?? description) : `${description}\n\n${told}`;
}

/** What a caller reads of what is no longer enforced of a tool's schema; none where all of it is. */
export function rewordedTold(name: string, reworded: readonly string[] = []): string[] {
  return reworded.map((what) => `${what} of the schema of ${name} became words: this model takes none there`);
}

/** Which further properties an object may have. */
const closing = ['additionalProperties', 'unevaluatedProperties'];
/** What allows more properties than those that stand there. */
const opening = ['patternProperties', 'dependentSchemas', 'dependencies', 'if', ...closing];

/**
 * What an object may hold by a schema and all that its unions say: each form of a property, and the names
 * without which none of its alternatives is met. `isOpen`: there may be properties that are not among these.
 */
interface Shape {
  properties: Map<string, Set<unknown>>;
  required: Set<string>;
  isOpen: boolean;
}

/** References that lead on to others are followed so far. */
const mostReferences = 32;
/** So many forms and names go from shapes to others: two lists that refer to each other are their product. */
const mostCopied = 100_000;

class ShapeReader {
  private readonly known = new Map<string, Shape>();
  private left = mostCopied;

  constructor(private readonly root: Schema) {}

  /** Where unions say too much to be gone through, they say nothing: half of it would forbid the rest. */
  shape(): Shape {
    const shape = this.read(this.root);
    return this.left < 0 ? { properties: new Map(), required: new Set(namesIn(this.root)), isOpen: true } : shape;
  }

  private read(schema: unknown, depth = 0): Shape {
    const shape: Shape = { properties: new Map(), required: new Set(), isOpen: false };
    if (!isRecord(schema) || this.left < 0) return { ...shape, isOpen: schema !== false };
    for (const [name, property] of Object.entries(recordIn(schema, 'properties')))
      shape.properties.set(name, new Set([property]));
    for (const name of namesIn(schema)) shape.required.add(name);
    shape.isOpen = schema !== this.root && opening.some((name) => (schema[name] ?? false) !== false);
    if (typeof schema.$ref === 'string') this.add(shape, [this.referred(schema.$ref, depth)], true);
    for (const union of unions) {
      const options: unknown[] = Array.isArray(schema[union]) ? schema[union] : [];
      const shapes = options.map((option) => this.read(option, depth));
      this.add(shape, shapes, union === 'allOf');
    }
    return shape;
  }

  private referred(reference: string, depth: number): Shape {
    const known = this.known.get(reference);
    if (known) return known;
    // Meanwhile, for what refers to itself, and for what is not found.
    this.known.set(reference, { properties: new Map(), required: new Set(), isOpen: true });
    const [, group = '', name = ''] = /^#\/(\$defs|definitions)\/([^/]+)$/.exec(reference) ?? [];
    const found = recordIn(this.root, group)[unescaped(name)];
    if (!isRecord(found) || depth === mostReferences) return this.read(true);
    const shape = this.read(found, depth + 1);
    this.known.set(reference, shape);
    return shape;
  }

  /** What some schemas say beside a shape: all of them hold, or one of them does. */
  private add(shape: Shape, options: readonly Shape[], allHold: boolean): void {
    for (const { properties, required, isOpen } of options) {
      shape.isOpen ||= isOpen;
      this.left -= required.size;
      for (const [name, forms] of properties) {
        this.left -= forms.size;
        if (this.left < 0) return;
        const known = shape.properties.get(name) ?? new Set();
        for (const form of forms) known.add(form);
        shape.properties.set(name, known);
      }
      if (this.left < 0) return;
    }
    const [first] = options;
    const names = allHold
      ? options.flatMap(({ required }) => [...required])
      : [...(first?.required ?? [])].filter((name) => options.every(({ required }) => required.has(name)));
    for (const name of names) shape.required.add(name);
  }
}

/** A schema that each of these forms meets. */
function anyOf(forms: ReadonlySet<unknown>): unknown {
  const [only] = forms;
  if (forms.size === 1) return only;
  const distinct = [...new Map([...forms].map((form) => [JSON.stringify(form), form])).values()];
  return distinct.length === 1 ? distinct[0] : { anyOf: distinct };
}

function namesIn({ required }: Schema): string[] {
  return Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];
}

/** Where a union of the top stays among the definitions, for what refers to a part of it. */
function placeOf(union: string): string {
  return `top-${union}`;
}

/**
 * Where the part of this schema that a reference names stands when all is rewritten, and which union of the
 * top it is in; null: in none.
 */
function movedReference(reference: string, root: Schema): [union: string | null, moved: string] {
  if (!reference.startsWith('#/')) return [null, reference];
  let at: unknown = root;
  const path = reference.slice(2).split('/');
  const written = path.map((step) => {
    const isList = isRecord(at) && Array.isArray(at.items);
    at = isRecord(at) ? at[unescaped(step)] : Array.isArray(at) ? (at[Number(step)] as unknown) : undefined;
    if (isList && step === 'items') return 'prefixItems';
    return isList && step === 'additionalItems' ? 'items' : step;
  });
  const union = unions.find((name) => name === path[0] && Array.isArray(root[name])) ?? null;
  const way = union === null ? written : ['$defs', placeOf(union), ...written];
  return [union, `#/${way.join('/')}`];
}

/** A step of a JSON pointer. https://datatracker.ietf.org/doc/html/rfc6901#section-4 */
function unescaped(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~');
}

type Refer = (reference: string) => string;

/** A schema of an older draft in the words of 2020-12, whatever it holds. */
function current(schema: Schema, refer: Refer): Schema {
  const currentIn = (value: unknown): unknown => (isRecord(value) ? current(value, refer) : value);
  const written = withInner(schema, currentIn);
  if (typeof schema.$ref === 'string') written.$ref = refer(schema.$ref);
  return withBounds(withItems(withRequired(written, schema), currentIn));
}

/** A copy of a schema in which `write` wrote all that may be schemas of their own. */
export function withInner(schema: Schema, write: (inner: unknown) => unknown): Schema {
  const written: Schema = {};
  for (const [name, value] of Object.entries(schema)) {
    if (byName.includes(name) && isRecord(value))
      written[name] = Object.fromEntries(Object.entries(value).map(([each, inner]) => [each, write(inner)]));
    else if (alone.includes(name)) written[name] = write(value);
    else written[name] = listed.includes(name) && Array.isArray(value) ? value.map(write) : value;
  }
  return written;
}

/** Of draft 3 each property says whether it is required; what is no list of names says nothing of today. */
function withRequired(schema: Schema, asked: Schema): Schema {
  const named = Object.entries(recordIn(asked, 'properties')).filter(
    ([, each]) => isRecord(each) && each.required === true,
  );
  const { required, ...rest } = schema;
  if (named.length === 0) return required === undefined || Array.isArray(required) ? schema : rest;
  return { ...rest, required: [...new Set([...namesIn(schema), ...named.map(([name]) => name)])] };
}

/** Until 2019-09 a list of schemas was `items`, and `additionalItems` what follows it. Now none is empty. */
function withItems(schema: Schema, currentIn: (value: unknown) => unknown): Schema {
  if (!Array.isArray(schema.items)) return schema;
  const { items, additionalItems, ...rest } = schema;
  const further = additionalItems === undefined ? {} : { items: currentIn(additionalItems) };
  const prefixItems = (items as unknown[]).map(currentIn);
  return { ...rest, ...(prefixItems.length > 0 && { prefixItems }), ...further };
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
