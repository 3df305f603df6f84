import { isRecord } from './record';
import { demand } from './refusal';

type Schema = Record<string, unknown>;

/** What may stand on both sides of alternatives. */
const notes = ['description', 'title'];

/**
 * Moonshot's flavour of JSON Schema, as far as its own validator has refused what clients sent. Its words
 * and paths are that validator's. https://github.com/MoonshotAI/walle/blob/main/docs/walle.md
 * https://github.com/MoonshotAI/kimi-cli/issues/1595 https://github.com/MoonshotAI/kimi-code/issues/2661
 * https://github.com/duolahypercho/codex-router/issues/641
 * https://github.com/FTShare-Lab/FTShare-MCP/issues/7
 * `where`: what has this schema. @throws Refusal
 */
export function demandMoonshots(schema: Schema, where: string): void {
  const refuseAt = (path: string) => (holds: boolean, what: string) => {
    const place = path === '' ? 'root' : path;
    const words = `Invalid request: ${where} is not a valid moonshot flavored json schema, details: <At path '${place}': ${what}>`;
    demand(holds, words);
  };
  const check = (node: Schema, path: string): void => {
    const require = refuseAt(path);
    const { type, anyOf, $ref: reference, items, properties, required, additionalProperties, $defs } = node;
    const elsewhere = reference === undefined ? 'anyOf' : '$ref';
    require(type === undefined || (anyOf === undefined && reference === undefined), elsewhere === 'anyOf'
      ? 'when using anyOf, type should be defined in anyOf items instead of the parent schema'
      : 'when using $ref, type should be defined in the referenced schema instead of the parent schema');
    require(type !== undefined || anyOf !== undefined || reference !== undefined, 'type is not defined');
    if (reference !== undefined) demandReference(reference, schema, require);
    if (Array.isArray(anyOf)) demandApart(node, anyOf, require);
    if (Array.isArray(node.enum)) demandEnum(node.enum, type, require);
    const names = isRecord(properties) ? Object.keys(properties) : [];
    for (const name of Array.isArray(required) ? required : [])
      require(names.includes(String(name)), `required property '${name}' is not defined in properties`);
    require(items === undefined || isRecord(items), 'items must be an object');
    for (const [group, members] of Object.entries({ $defs, properties }))
      for (const [name, each] of Object.entries(isRecord(members) ? members : {})) {
        require(isRecord(each), `property schema for '${name}' must be an object`);
        if (isRecord(each)) check(each, step(path, `${group}.${name}`));
      }
    if (isRecord(items)) check(items, step(path, 'items'));
    if (isRecord(additionalProperties) && Object.keys(additionalProperties).length > 0)
      check(additionalProperties, step(path, 'additionalProperties'));
    for (const each of Array.isArray(anyOf) ? anyOf : []) if (isRecord(each)) check(each, step(path, 'anyOf'));
  };
  if (Object.keys(schema).length > 0) check(schema, '');
}

type Require = (holds: boolean, what: string) => void;

function step(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

function demandReference(reference: unknown, root: Schema, require: Require): void {
  if (reference === '#') return;
  const [, name] = /^#\/\$defs\/([^/]+)$/.exec(String(reference)) ?? [];
  require(name !== undefined, 'references must start with #/$defs/');
  require(isRecord(root.$defs) && isRecord(root.$defs[name ?? '']), `invalid $ref path: ${String(reference)}`);
}

function demandApart(node: Schema, alternatives: readonly unknown[], require: Require): void {
  const conflicts = alternatives
    .filter(isRecord)
    .flatMap((each) => Object.keys(each).filter((name) => Object.hasOwn(node, name) && !notes.includes(name)));
  require(conflicts.length ===
    0, `conflicting keywords found in anyOf with parent: keywords (${conflicts.join(', ')}) are defined on the parent schema and inside anyOf; remove them from the parent or from anyOf branches`);
}

function demandEnum(values: readonly unknown[], type: unknown, require: Require): void {
  const types: unknown[] = [type].flat();
  require(types.length === 1 ||
    (types.length === 2 &&
      types.includes(
        'null',
      )), 'when type is array and enum is specified, currently only 2 types are supported, one must be null, and the other can be string/integer/number/boolean');
  for (const value of values)
    require(types.some((each) =>
      isOf(value, each),
    ), `enum value (${String(value)}) does not match any type in [${types.join(' ')}]`);
}

function isOf(value: unknown, type: unknown): boolean {
  if (value === null) return type === 'null';
  if (type === 'integer') return Number.isInteger(value);
  return typeof value === type;
}
