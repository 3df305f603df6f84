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
  const hasUnions = ofTool && ['anyOf', 'oneOf', 'allOf'].some((name) => Object.hasOwn(asked, name));
  const plain = hasUnions ? withoutUnions(asked) : { schema: asked, told: null };
  const writer = new SchemaWriter(plain.schema);
  const written = writer.root(ofTool);
  const isSame = !hasUnions && isDeepStrictEqual(written, asked);
  return {
    schema: isSame ? asked : written,
    told: plain.told,
    reworded: [...(plain.reworded ?? []), ...writer.reworded],
  };
}

const anything = ['string', 'number', 'boolean', 'object', 'array', 'null'];
/** What tells of which type something is that does not name it. */
const telling: readonly [type: string, names: readonly string[]][] = [
  ['object', ['properties', 'required', 'additionalProperties', 'patternProperties', 'minProperties', 'maxProperties']],
  ['array', ['items', 'prefixItems', 'minItems', 'maxItems', 'uniqueItems', 'contains']],
  ['string', ['pattern', 'format', 'minLength', 'maxLength']],
  ['number', ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf']],
];
/** What may stand beside alternatives and references. */
const notes = ['title', 'description', 'default'];

class SchemaWriter {
  readonly reworded = new Set<string>();
  /** What references lead to, by the pointers. */
  private readonly defined = new Map<string, { name: string; part: Schema }>();
  private readonly names = new Set<string>();

  constructor(private readonly asked: Schema) {}

  root(ofTool: boolean): Schema {
    const { $defs, definitions, $schema: _draft, ...own } = this.asked;
    for (const [group, members] of Object.entries({ $defs, definitions }))
      if (isRecord(members)) for (const name of Object.keys(members)) this.define(`#/${group}/${escaped(name)}`);
    const written = this.write(ofTool ? { type: 'object', ...own } : own);
    const parts = [];
    // One may lead to others, which are added while this runs.
    for (const { name, part } of this.defined.values()) parts.push([name, this.write(part)] as const);
    if (parts.length === 0) return Object.hasOwn(own, 'type') || !ofTool ? written : { ...written, type: 'object' };
    return { ...written, $defs: Object.fromEntries(parts) };
  }

  private write(asked: unknown): Schema {
    if (!isRecord(asked)) return { type: anything };
    if (typeof asked.$ref === 'string') return this.reference(asked, asked.$ref);
    const { $defs: _defs, definitions: _definitions, allOf, oneOf, ...rest } = asked;
    if (allOf !== undefined)
      return this.write(this.withoutAllOf(allOf, { ...rest, ...(oneOf !== undefined && { oneOf }) }));
    const schema: Schema = oneOf === undefined || rest.anyOf !== undefined ? rest : { ...rest, anyOf: oneOf };
    if (Array.isArray(schema.anyOf) && schema.anyOf.length > 0) return this.alternatives(schema, schema.anyOf);
    const { anyOf: _none, ...plain } = schema;
    return this.typed(withEnum(this.inner(plain), (name, value) => this.told(name, value)));
  }

  /** One part stands for itself, as a reference with a description of its own; several are told in words. */
  private withoutAllOf(parts: unknown, schema: Schema): Schema {
    const all: unknown[] = Array.isArray(parts) ? parts : [];
    const [only] = all;
    return all.length === 1 && isRecord(only) ? { ...only, ...schema } : described(schema, this.told('allOf', parts));
  }

  /** The type stands in each of them. Of what holds for all of them the alternatives are told in words. */
  private alternatives({ anyOf, type, ...schema }: Schema, all: readonly unknown[]): Schema {
    const isPlain = Object.keys(schema).every((name) => notes.includes(name));
    if (!isPlain) return this.write(described({ ...schema, type: type ?? 'object' }, this.told('anyOf', anyOf)));
    const typed = (each: unknown): unknown =>
      type === undefined ||
      !isRecord(each) ||
      ['type', '$ref', 'anyOf', 'oneOf'].some((name) => Object.hasOwn(each, name))
        ? each
        : { ...each, type };
    return { ...schema, anyOf: all.map((each) => this.write(typed(each))) };
  }

  /** Beside a reference stands only what the other end does not say. */
  private reference({ $ref: _ref, ...others }: Schema, pointer: string): Schema {
    if (pointer === '#') return { $ref: pointer };
    const target = this.define(pointer);
    if (target === null) {
      this.reworded.add('$ref');
      return this.write(others);
    }
    const kept = Object.entries(others).filter(([name]) => notes.includes(name) && !Object.hasOwn(target.part, name));
    return { $ref: `#/$defs/${target.name}`, ...Object.fromEntries(kept) };
  }

  /** A definition is made of what a pointer leads to; null: it leads nowhere. */
  private define(pointer: string): { name: string; part: Schema } | null {
    const known = this.defined.get(pointer);
    if (known) return known;
    const steps = pointer.startsWith('#/') ? pointer.slice(2).split('/') : [];
    let at: unknown = steps.length === 0 ? null : this.asked;
    for (const step of steps) at = memberAt(at, step.replaceAll('~1', '/').replaceAll('~0', '~'));
    if (!isRecord(at)) return null;
    const own = /^#\/(?:\$defs|definitions)\/([^/]+)$/.exec(pointer)?.[1] ?? pointer.slice(2);
    let name = own.replace(/[^\w.-]/g, '_');
    while (this.names.has(name)) name += '_';
    this.names.add(name);
    const made = { name, part: at };
    this.defined.set(pointer, made);
    return made;
  }

  /** With all that is inside of it written. */
  private inner(schema: Schema): Schema {
    const written = { ...schema };
    if (Object.hasOwn(schema, 'properties') || Array.isArray(schema.required)) {
      const demanded = (Array.isArray(schema.required) ? schema.required : []).filter(
        (name) => typeof name === 'string',
      );
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
