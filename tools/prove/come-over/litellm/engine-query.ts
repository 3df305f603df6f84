/** What a question may hold as an argument. */
type Argument = string | number | boolean | null | Argument[] | { [name: string]: Argument };
type Arguments = Record<string, Argument>;
/** What is to come of a record: all that is named. */
type Selection = Record<string, true | Selected>;
interface Selected {
  arguments: Arguments;
  selection: Selection;
}

/** A question to Prisma's query engine, in its JSON protocol. */
export interface EngineQuery {
  /** Absent: SQL. */
  modelName?: string;
  action: string;
  query: Selected;
}

/** The fields of each model that hold JSON. */
export function jsonFields(datamodel: string): ReadonlyMap<string, ReadonlySet<string>> {
  const models = datamodel.matchAll(/^model (\w+) \{\n([\s\S]*?)^\}/gm);
  return new Map(
    [...models].map(([, model = '', fields = '']) => [
      model,
      new Set([...fields.matchAll(/^\s*(\w+)\s+Json\b/gm)].map(([, name = '']) => name)),
    ]),
  );
}

const actions =
  'findUnique|findFirst|findMany|createOne|createMany|updateOne|updateMany|deleteOne|deleteMany|upsertOne|aggregate|groupBy';
const ofModel = new RegExp(`^(${actions})(.+?)(OrThrow)?$`);
const token = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|\w+|[{}()[\]:]/g;

/**
 * The same question in the JSON protocol, which engines in WebAssembly speak alone. `text`: in GraphQL, as
 * Prisma's client for Python writes it. JSON is a text there, and is marked here.
 * @throws Error for what is no such question
 */
export function toEngineQuery(text: string, json: ReadonlyMap<string, ReadonlySet<string>>): EngineQuery {
  const reader = new Reader(text);
  reader.next();
  reader.expect('{');
  // `result: findManyUser(…) { … }`
  reader.next();
  reader.expect(':');
  const name = reader.next();
  const query = reader.selected();
  reader.expect('}');
  const [, action = name, modelName, orThrow = ''] = ofModel.exec(name) ?? [];
  if (modelName === undefined) return { action, query };
  const marked = withJson(query.arguments, json.get(modelName) ?? new Set());
  return { modelName, action: action + orThrow, query: { ...query, arguments: marked } };
}

/** `value`, or what it is set to or compared with, is JSON where it is a text. */
function asJson(value: Argument): Argument {
  if (typeof value === 'string') return { $type: 'Json', value };
  if (Array.isArray(value) || typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, asJson(one)]));
}

function withJson(said: Arguments, fields: ReadonlySet<string>): Arguments {
  const inside = (value: Argument): Argument => {
    if (Array.isArray(value)) return value.map(inside);
    return typeof value === 'object' && value !== null ? withJson(value, fields) : value;
  };
  return Object.fromEntries(
    Object.entries(said).map(([name, value]) => [name, fields.has(name) ? asJson(value) : inside(value)]),
  );
}

/** Reads the tokens of a question one by one. */
class Reader {
  private readonly tokens: readonly string[];
  private at = 0;

  constructor(private readonly text: string) {
    this.tokens = text.match(token) ?? [];
  }

  next(): string {
    const found = this.tokens[this.at++];
    if (found === undefined) throw new Error(`This question ends too early: ${this.text}`);
    return found;
  }

  expect(wanted: string): void {
    const found = this.next();
    if (found !== wanted) throw new Error(`${wanted} is missing before ${found}: ${this.text}`);
  }

  selected(): Selected {
    const said = this.isNext('(') ? this.named(')') : {};
    return { arguments: said, selection: this.isNext('{') ? this.selection() : {} };
  }

  private selection(): Selection {
    const selection: Selection = {};
    this.expect('{');
    while (!this.isNext('}')) {
      const name = this.next();
      selection[name] = this.isNext('(') || this.isNext('{') ? this.selected() : true;
    }
    this.expect('}');
    return selection;
  }

  /** `(name: value …)`, or the same in braces. */
  private named(end: ')' | '}'): Arguments {
    const found: Arguments = {};
    this.next();
    while (!this.isNext(end)) {
      const name = this.next();
      this.expect(':');
      found[name] = this.value();
    }
    this.expect(end);
    return found;
  }

  private value(): Argument {
    if (this.isNext('{')) return this.named('}');
    if (this.isNext('[')) return this.list();
    const said = this.next();
    if (/^[-\d"]|^(?:true|false|null)$/.test(said)) return JSON.parse(said) as Argument;
    // A name of an enumeration.
    return said;
  }

  private list(): Argument[] {
    const found: Argument[] = [];
    this.expect('[');
    while (!this.isNext(']')) found.push(this.value());
    this.expect(']');
    return found;
  }

  private isNext(wanted: string): boolean {
    return this.tokens[this.at] === wanted;
  }
}
