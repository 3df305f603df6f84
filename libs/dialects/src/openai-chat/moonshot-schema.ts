import { isDeepStrictEqual } from 'node:util';
import { withoutUnions } from '../canonical/tool-schema';
import { isRecord, recordIn } from '../wire/json-value';

type Schema = Record<string, unknown>;

/** A schema as Moonshot takes it, what a description must tell beside it (null: nothing), and what that is. */
interface MoonshotSchema {
  schema: Schema;
  told: string | null;
  reworded: string[];
}

/**
 * A schema in the flavour to which Moonshot holds those of tools and answers, a 400 otherwise. The very same
 * where it is in it. `ofTool`: it is one of arguments, which are an object's.
 * https://github.com/MoonshotAI/walle/blob/main/docs/mfjs-spec.md
 * https://github.com/MoonshotAI/walle/blob/main/docs/walle.md
 * Servers of MCP have others: https://github.com/MoonshotAI/kimi-code/issues/2661
 * https://github.com/anomalyco/opencode/issues/37496 https://github.com/duolahypercho/codex-router/issues/641
 */
export function toMoonshotSchema(asked: Schema, ofTool: boolean): MoonshotSchema {
  const opened = ofTool ? withoutReference(asked) : asked;
  const hasUnions = ofTool && ['anyOf', 'oneOf', 'allOf'].some((name) => Object.hasOwn(opened, name));
  const plain = hasUnions ? withoutUnions(opened) : { schema: opened, told: null };
  const writer = new SchemaWriter(plain.schema);
  const written = writer.root(ofTool);
  const isSame = !hasUnions && isDeepStrictEqual(written, asked);
  return {
    schema: isSame ? asked : written,
    told: plain.told,
    reworded: [...(plain.reworded ?? []), ...writer.reworded],
  };
}

/** What references lead to, and its name among the definitions. */
interface Definition {
  name: string;
  part: Schema;
}

const anything = ['string', 'number', 'boolean', 'object', 'array', 'null'];
/** What tells of which type something is that does not name it. */
const telling: readonly [type: string, names: readonly string[]][] = [
  ['object', ['properties', 'required', 'additionalProperties', 'patternProperties', 'minProperties', 'maxProperties']],
  ['array', ['items', 'prefixItems', 'minItems', 'maxItems', 'uniqueItems', 'contains']],
  ['string', ['pattern', 'format', 'minLength', 'maxLength']],
  ['number', ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf']],
];
/** Notes that alternatives may have as well as what stands beside them. */
const ofBoth = ['title', 'description'];
/** What limits values, and stands in alternatives and behind references only: all else is notes about them. */
const rules: ReadonlySet<string> = new Set([
  ...telling.flatMap(([, names]) => names),
  ...['type', 'enum', 'const', 'anyOf', 'oneOf', 'allOf', 'not', 'if', 'then', 'else', 'propertyNames'],
  ...['dependencies', 'dependentRequired', 'dependentSchemas', 'unevaluatedItems', 'unevaluatedProperties'],
]);
/**
 * Longer schemas than this are refused, so no more is copied of what references lead to outside the
 * definitions.
 * https://github.com/MoonshotAI/walle/blob/main/conf.go
 */
const mostCopied = 120_000;

class SchemaWriter {
  readonly reworded = new Set<string>();
  /** What references lead to, by the pointers and by itself: pointers may differ in writing alone. */
  private readonly defined = new Map<string, Definition | null>();
  private readonly definitions = new Map<Schema, Definition>();
  /** The names that definitions have, and how often each was asked for. */
  private readonly names = new Map<string, number>();
  private left = mostCopied;

  constructor(private readonly asked: Schema) {}

  root(ofTool: boolean): Schema {
    const { $defs, definitions, $schema: _draft, ...own } = this.asked;
    for (const [group, members] of Object.entries({ $defs, definitions }))
      if (isRecord(members)) for (const name of Object.keys(members)) this.define(`#/${group}/${escaped(name)}`);
    const root = this.write(ofTool ? { ...own, type: 'object' } : own);
    const parts = [];
    // One may lead to others, which are added while this runs.
    for (const { name, part } of this.definitions.values()) parts.push([name, this.write(part)] as const);
    return parts.length === 0 ? root : { ...root, $defs: Object.fromEntries(parts) };
  }

  private write(asked: unknown): Schema {
    if (!isRecord(asked)) return { type: anything };
    if (typeof asked.$ref === 'string') return this.reference(asked, asked.$ref);
    const { $defs: _defs, definitions: _definitions, allOf, oneOf, ...rest } = asked;
    if (allOf !== undefined)
      return this.write(this.withoutAllOf(allOf, { ...rest, ...(oneOf !== undefined && { oneOf }) }));
    if (oneOf !== undefined && rest.anyOf !== undefined) return this.write(described(rest, this.told('oneOf', oneOf)));
    const schema: Schema = oneOf === undefined ? rest : { ...rest, anyOf: oneOf };
    if (Array.isArray(schema.anyOf) && schema.anyOf.length > 0) return this.alternatives(schema, schema.anyOf);
    const { anyOf: _none, ...plain } = schema;
    return this.typed(withEnum(this.inner(plain), (name, value) => this.told(name, value)));
  }

  /**
   * One part stands for itself, as a reference with a description of its own; several are told in words, and
   * one that says otherwise what stands beside it.
   */
  private withoutAllOf(parts: unknown, schema: Schema): Schema {
    const all: unknown[] = Array.isArray(parts) ? parts : [];
    const [only] = all;
    const isAlone = all.length === 1 && isRecord(only) && !contradicts(only, schema);
    return isAlone ? { ...only, ...schema } : described(schema, this.told('allOf', parts));
  }

  /** The type stands in each of them. Where more holds for all of them, the alternatives are told in words. */
  private alternatives({ anyOf, type, ...schema }: Schema, all: readonly unknown[]): Schema {
    const hasRules = Object.keys(schema).some((name) => rules.has(name));
    if (hasRules)
      return this.write(described({ ...schema, ...(type !== undefined && { type }) }, this.told('anyOf', anyOf)));
    const typed = (each: unknown): unknown => {
      if (!isRecord(each)) return each;
      const own = Object.fromEntries(
        Object.entries(each).filter(([name]) => ofBoth.includes(name) || !Object.hasOwn(schema, name)),
      );
      const isTyped = ['type', '$ref', 'anyOf', 'oneOf'].some((name) => Object.hasOwn(own, name));
      return type === undefined || isTyped ? own : { ...own, type };
    };
    return { ...schema, anyOf: all.map((each) => this.write(typed(each))) };
  }

  /**
   * Beside a reference stand only notes that the other end does not have: others are about an alternative
   * that is the only one, and rules are told in words.
   */
  private reference(
    { $ref: _ref, $defs: _defs, definitions: _definitions, ...beside }: Schema,
    pointer: string,
  ): Schema {
    const target = pointer === '#' ? { name: null, part: this.asked } : this.define(pointer);
    if (target === null) {
      this.reworded.add('$ref');
      return this.write(beside);
    }
    const { name, part } = target;
    const notes = Object.fromEntries(Object.entries(beside).filter(([each]) => !rules.has(each)));
    const words = rulesBeyond(part, beside).map((rule) => this.told(rule, beside[rule]));
    const said = words.length === 0 ? notes : described(notes, words.join(', '));
    const $ref = name === null ? '#' : `#/$defs/${name}`;
    return Object.keys(said).some((each) => Object.hasOwn(part, each))
      ? { anyOf: [{ $ref }], ...said }
      : { $ref, ...said };
  }

  /** A definition is made of what a pointer leads to; null: it leads nowhere, or to too much. */
  private define(pointer: string): Definition | null {
    const known = this.defined.get(pointer);
    if (known !== undefined) return known;
    const part = partAt(this.asked, pointer);
    const made = isRecord(part) ? (this.definitions.get(part) ?? this.definition(pointer, part)) : null;
    this.defined.set(pointer, made);
    return made;
  }

  private definition(pointer: string, part: Schema): Definition | null {
    const own = /^#\/(?:\$defs|definitions)\/([^/]+)$/.exec(pointer)?.[1];
    if (own === undefined && this.left > 0) this.left -= JSON.stringify(part).length;
    if (own === undefined && this.left <= 0) return null;
    const made = { name: this.freeName((own ?? pointer.slice(2)).replace(/[^\w.-]/g, '_')), part };
    this.definitions.set(part, made);
    return made;
  }

  private freeName(wanted: string): string {
    let name = wanted;
    while (this.names.has(name)) {
      const count = (this.names.get(wanted) ?? 0) + 1;
      this.names.set(wanted, count);
      name = `${wanted}_${count}`;
    }
    this.names.set(name, 1);
    return name;
  }

  /** With all that is inside of it written. */
  private inner(schema: Schema): Schema {
    const { required, ...written } = schema;
    // What is no list says nothing of today: in draft 3 a property says of itself that it is required.
    const demanded = (Array.isArray(required) ? required : []).filter((name) => typeof name === 'string');
    if (Array.isArray(required)) written.required = demanded;
    if (Object.hasOwn(schema, 'properties') || Array.isArray(required)) {
      const described = Object.entries(recordIn(schema, 'properties'));
      const names = new Set(described.map(([name]) => name));
      const undescribed = [...new Set(demanded)].filter((name) => !names.has(name)).map((name) => [name, {}] as const);
      written.properties = Object.fromEntries(
        [...described, ...undescribed].map(([name, each]) => [name, this.write(each)]),
      );
    }
    if (Object.hasOwn(schema, 'items'))
      written.items = this.write(Array.isArray(schema.items) ? { anyOf: schema.items } : schema.items);
    const more = schema.additionalProperties;
    if (isRecord(more) && Object.keys(more).length > 0) written.additionalProperties = this.write(more);
    return written;
  }

  private typed(schema: Schema): Schema {
    if (schema.type !== undefined) return schema;
    const [type] = telling.find(([, names]) => names.some((name) => Object.hasOwn(schema, name))) ?? [anything];
    return { type, ...schema };
  }

  private told(name: string, value: unknown): string {
    this.reworded.add(name);
    return `${name}: ${JSON.stringify(value)}`;
  }
}

/** The rules of a schema that another says otherwise, or not at all. */
function rulesBeyond(other: Schema, schema: Schema): string[] {
  return Object.keys(schema).filter((name) => rules.has(name) && !isDeepStrictEqual(schema[name], other[name]));
}

function contradicts(one: Schema, other: Schema): boolean {
  return rulesBeyond(other, one).some((name) => Object.hasOwn(other, name));
}

/** References that lead on to others are followed so far. */
const mostReferences = 32;

/**
 * A schema that is not what a reference at its top leads to, but says it: that of a tool must name its type
 * there.
 * https://github.com/MoonshotAI/kimi-code/pull/2662
 */
function withoutReference(asked: Schema): Schema {
  let schema = asked;
  for (let count = 0; typeof schema.$ref === 'string' && count < mostReferences; count++) {
    const { $ref: pointer, ...beside } = schema;
    const part = partAt(asked, pointer);
    schema = isRecord(part) && part !== asked ? { ...part, ...beside } : beside;
  }
  return schema;
}

/** What a pointer in a URI leads to. https://datatracker.ietf.org/doc/html/rfc6901#section-6 */
function partAt(root: Schema, pointer: string): unknown {
  if (!pointer.startsWith('#/')) return null;
  const isEscaped = /%[\da-f]{2}/i.test(pointer);
  let at: unknown = root;
  for (const step of pointer.slice(2).split('/')) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
    const found = memberAt(at, name);
    at = found === undefined && isEscaped ? memberAt(at, decoded(name)) : found;
  }
  return at;
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

function memberAt(value: unknown, name: string): unknown {
  if (Array.isArray(value)) return value[Number(name)];
  return isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

function escaped(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

function described(schema: Schema, words: string): Schema {
  const { description } = schema;
  return { ...schema, description: typeof description === 'string' ? `${description}\n\n{${words}}` : `{${words}}` };
}

/**
 * The values that something may have are of one type, or texts and null, and the type names both.
 * `tell` words those that are not.
 */
function withEnum({ const: only, ...schema }: Schema, tell: (name: string, value: unknown) => string): Schema {
  const values: unknown = schema.enum ?? (only === undefined ? undefined : [only]);
  if (values === undefined) return schema;
  const types = Array.isArray(values) ? typesOf(values) : [];
  const isTaken = types.length === 1 || (types.length === 2 && types.includes('null') && types.includes('string'));
  const { enum: _values, ...rest } = schema;
  if (!isTaken) return described(rest, tell('enum', values));
  const said: unknown[] = [schema.type].flat();
  const covers = types.every((type) => said.includes(type) || (type === 'integer' && said.includes('number')));
  const isNarrow = said.length === 1 || (said.length === 2 && said.includes('null'));
  const type = covers && isNarrow ? schema.type : types.length === 1 ? types[0] : types;
  return { ...schema, type, enum: values };
}

/** The types of values; `object` stands for all that no enumeration may hold. */
function typesOf(values: readonly unknown[]): string[] {
  const each = values.map((value) => {
    if (value === null) return 'null';
    if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
    return typeof value === 'string' || typeof value === 'boolean' ? typeof value : 'object';
  });
  if (each.length === 0 || each.includes('object')) return [];
  return [...new Set(each.includes('number') ? each.map((type) => (type === 'integer' ? 'number' : type)) : each)];
}
