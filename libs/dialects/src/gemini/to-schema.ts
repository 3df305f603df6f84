import { isRecord, recordIn } from '../wire/json-value';

/**
 * A schema as Gemini takes it, and the names of the constraints that went into descriptions, where the model
 * reads them and nothing enforces them.
 */
interface GeminiSchema {
  schema: Record<string, unknown>;
  reworded: string[];
}

/**
 * The keywords that are taken as they are: https://ai.google.dev/api/generate-content#GenerationConfig
 * (`responseJsonSchema`)
 */
const taken = [
  '$id',
  '$anchor',
  'type',
  'title',
  'description',
  'minItems',
  'maxItems',
  'minimum',
  'maximum',
  'required',
  'propertyOrdering',
];
const holdingOne = ['items', 'additionalProperties'];
const holdingMany = ['prefixItems', 'anyOf', 'oneOf'];

/** Notes for people and tools, which bind nothing. */
const notes = ['$schema', '$comment', 'readOnly', 'writeOnly', 'deprecated', 'strict'];
/** Notes that help the model. */
const hints = ['default', 'examples', 'example'];

/**
 * https://ai.google.dev/gemini-api/docs/structured-output#json_schema_support
 * https://ai.google.dev/api/caching#Schema
 */
const formats = ['date-time', 'date', 'time', 'float', 'double', 'int32', 'int64'];

/**
 * Gemini takes JSON schema in `parametersJsonSchema` and `responseJsonSchema`, with a part of its keywords.
 * What has the same meaning is written in them (`const`, `definitions`, `allOf` of plain objects), the rest
 * goes into descriptions.
 */
export function toGeminiSchema(schema: Record<string, unknown>): GeminiSchema {
  const writer = new SchemaWriter(schema);
  const written = writer.schema(schema);
  const $defs = { ...recordIn(written, '$defs'), ...writer.definitionsOfParts() };
  return {
    schema: Object.keys($defs).length === 0 ? written : { ...written, $defs },
    reworded: [...writer.reworded],
  };
}

class SchemaWriter {
  readonly reworded = new Set<string>();
  /** Parts of the schema that references lead to and that are no definitions yet, by their pointers. */
  private readonly parts = new Map<string, { name: string; part: Record<string, unknown> }>();

  /** The names of all definitions, those of such parts among them. */
  private readonly names: Set<string>;

  constructor(private readonly root: Record<string, unknown>) {
    this.names = new Set(['$defs', 'definitions'].flatMap((of) => Object.keys(recordIn(root, of))));
  }

  /** Those parts as definitions; one may lead to others. */
  definitionsOfParts(): Record<string, unknown> {
    const written = new Map<string, unknown>();
    for (const { name, part } of this.parts.values()) written.set(name, this.schema(part));
    return Object.fromEntries(written);
  }

  schema(asked: Record<string, unknown>): Record<string, unknown> {
    if (typeof asked.$ref === 'string') return this.reference(asked.$ref, asked);
    return this.plain(asked);
  }

  private plain(asked: Record<string, unknown>): Record<string, unknown> {
    const schema = withoutAllOf(asked);
    const written: Record<string, unknown> = {};
    const words: string[] = [];
    for (const [name, value] of Object.entries(schema)) {
      if (notes.includes(name)) continue;
      const member = this.member(name, value);
      if (member !== undefined) Object.assign(written, member);
      else {
        words.push(`${name}: ${JSON.stringify(value)}`);
        if (!hints.includes(name)) this.reworded.add(name);
      }
    }
    return words.length === 0 ? written : { ...written, description: describe(schema.description, words) };
  }

  /**
   * A reference may have no neighbours but those that begin with a dollar sign: with others it becomes the
   * only one of its alternatives. It may lead to a definition and nowhere else (`reference to undefined
   * schema`), which older generators of schemas do: https://github.com/DEEIX-AI/DEEIX-Chat/issues/546
   * https://github.com/agent-infra/sandbox/issues/83 https://github.com/google-gemini/gemini-cli/issues/13326
   */
  private reference(target: string, schema: Record<string, unknown>): Record<string, unknown> {
    const defined = this.definedAt(target);
    if (defined === null) return this.withoutReference(schema);
    const reference = { $ref: defined };
    const definitions = this.definitions(schema.$defs ?? schema.definitions);
    const neighbours = Object.entries(schema).filter(([name]) => !name.startsWith('$') && name !== 'definitions');
    if (neighbours.length === 0) return { ...reference, ...definitions };
    const { anyOf: alternatives, ...rest } = Object.fromEntries(neighbours);
    if (alternatives !== undefined) this.reworded.add('anyOf');
    const words = alternatives === undefined ? [] : [`anyOf: ${JSON.stringify(alternatives)}`];
    const written = this.schema(rest);
    const described = words.length === 0 ? written : { ...written, description: describe(written.description, words) };
    return { ...described, anyOf: [reference], ...definitions };
  }

  private withoutReference({ $ref: _lost, ...others }: Record<string, unknown>): Record<string, unknown> {
    this.reworded.add('$ref');
    return this.plain(others);
  }

  /** Where what a pointer leads to stands among the definitions; null: it leads nowhere. */
  private definedAt(pointer: string): string | null {
    if (!pointer.startsWith('#/')) return null;
    let at: unknown = this.root;
    for (const step of pointer.slice(2).split('/')) {
      const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
      at = Array.isArray(at) ? (at[Number(name)] as unknown) : isRecord(at) ? at[name] : undefined;
    }
    if (!isRecord(at)) return null;
    const [, definition] = /^#\/(?:\$defs|definitions)\/([^/]+)$/.exec(pointer) ?? [];
    if (definition !== undefined) return `#/$defs/${definition}`;
    return `#/$defs/${this.nameOfPart(pointer, at)}`;
  }

  /** The name of a part among the definitions, which no other one has. */
  private nameOfPart(pointer: string, part: Record<string, unknown>): string {
    const known = this.parts.get(pointer);
    if (known) return known.name;
    let name = pointer.slice(2).replace(/[^\w$-]/g, '_');
    while (this.names.has(name)) name += '_';
    this.names.add(name);
    this.parts.set(pointer, { name, part });
    return name;
  }

  /** The member as Gemini takes it; undefined when it has no word for it. */
  private member(name: string, value: unknown): Record<string, unknown> | undefined {
    if (taken.includes(name)) return { [name]: value };
    if (name === 'format') return typeof value === 'string' && formats.includes(value) ? { format: value } : undefined;
    if (name === 'enum') return isPlainList(value) ? { enum: value } : undefined;
    if (name === 'const') return isPlainList([value]) ? { enum: [value] } : undefined;
    if (name === 'properties') return { properties: this.named(value) };
    if (name === '$defs' || name === 'definitions') return this.definitions(value);
    if (holdingOne.includes(name)) return { [name]: this.nested(value) };
    return holdingMany.includes(name) && Array.isArray(value)
      ? { [name]: value.map((item) => this.nested(item)) }
      : undefined;
  }

  private definitions(value: unknown): Record<string, unknown> {
    return isRecord(value) ? { $defs: this.named(value) } : {};
  }

  private named(value: unknown): Record<string, unknown> {
    const entries = isRecord(value) ? Object.entries(value) : [];
    return Object.fromEntries(entries.map(([name, schema]) => [name, this.nested(schema)]));
  }

  /** `true` and `false` are schemas too. */
  private nested(value: unknown): unknown {
    return isRecord(value) ? this.schema(value) : value;
  }
}

/** Numbers and texts are all that an enumeration may hold. */
function isPlainList(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === 'string' || typeof item === 'number');
}

/**
 * Joins the parts of an `allOf` where they are plain objects with names of their own; a single part stands
 * for itself. Else the keyword stays, and goes into words.
 */
function withoutAllOf(schema: Record<string, unknown>): Record<string, unknown> {
  const { allOf, ...rest } = schema;
  if (!Array.isArray(allOf) || !allOf.every(isRecord)) return schema;
  const [only] = allOf;
  if (allOf.length === 1 && only !== undefined && '$ref' in only && !('anyOf' in rest))
    return { ...rest, anyOf: [only] };
  const parts = [rest, ...allOf];
  const names = parts.flatMap((part) => Object.keys(part)).filter((name) => !isJoined(name));
  const isPlain = parts.every((part) => !('$ref' in part) && !('allOf' in part));
  return isPlain && new Set(names).size === names.length ? joined(parts) : schema;
}

function joined(parts: readonly Record<string, unknown>[]): Record<string, unknown> {
  const properties = parts.flatMap((part) => (isRecord(part.properties) ? Object.entries(part.properties) : []));
  const required = parts.flatMap((part): unknown[] => (Array.isArray(part.required) ? part.required : []));
  return {
    ...Object.fromEntries(parts.flatMap((part) => Object.entries(part))),
    ...(properties.length > 0 && { properties: Object.fromEntries(properties) }),
    ...(required.length > 0 && { required: [...new Set(required)] }),
  };
}

function isJoined(name: string): boolean {
  return name === 'type' || name === 'properties' || name === 'required';
}

function describe(description: unknown, words: readonly string[]): string {
  const told = `{${words.join(', ')}}`;
  return typeof description === 'string' ? `${description}\n\n${told}` : told;
}
