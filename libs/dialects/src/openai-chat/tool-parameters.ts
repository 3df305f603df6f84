import type { CanonicalRequest, ToolDefinition } from '../canonical/generation-request';
import { rewordedTold, toldBeside, withInner, withoutUnions } from '../canonical/tool-schema';
import type { UpstreamTarget } from '../provider-dialect';
import { isRecord, recordIn } from '../wire/json-value';

type Schema = Record<string, unknown>;

/** Who asked in a schema, for whom it is written, and who hears of what it cannot be. */
export interface SchemaSite {
  surface: CanonicalRequest['surface'];
  target: UpstreamTarget;
  warnings: string[];
}

/**
 * The parameters of a function as OpenAI takes them: an object's, which names its properties, without lists
 * that do not say what is in them. Anthropic takes less, and so servers of MCP say less to its callers.
 * https://github.com/digitalocean-labs/mcp-digitalocean/issues/265
 * https://github.com/langgenius/dify/pull/33137 https://github.com/wakehacker/wake-ai/pull/16
 */
export function toParameters(parameters: Schema, { surface }: SchemaSite): Schema {
  if (surface !== 'anthropic-messages') return parameters;
  return { type: 'object', properties: {}, ...withItems(parameters) };
}

/**
 * The tool with a schema of an object, where the provider takes none of alternatives: they are told in its
 * description.
 */
export function withPlainRoot(tool: ToolDefinition, { target, warnings }: SchemaSite): ToolDefinition {
  const { name, parameters = {} } = tool;
  const isUnion = ['anyOf', 'oneOf'].some((union) => Array.isArray(parameters[union]));
  if (!isUnion || !target.provider.quirks.plainToolRoots) return tool;
  const { schema, told, reworded } = withoutUnions(parameters);
  warnings.push(...rewordedTold(name, reworded));
  const description = toldBeside(tool.description, told);
  return { ...tool, parameters: schema, ...(description !== undefined && { description }) };
}

function withItems(schema: Schema): Schema {
  const written = withInner(schema, (inner) => (isRecord(inner) ? withItems(inner) : inner));
  return isOf('array', schema) && written.items === undefined ? { ...written, items: {} } : written;
}

/** https://platform.openai.com/docs/guides/structured-outputs#supported-schemas */
const refusedInStrict = [
  ...['allOf', 'oneOf', 'not', 'dependentRequired', 'dependentSchemas', 'if', 'then', 'else'],
  ...['patternProperties', 'propertyNames', 'unevaluatedProperties'],
];

/**
 * Whether OpenAI's strict mode takes a schema: all objects in it are closed, and all their properties
 * required. Anthropic's takes others, too.
 * https://platform.claude.com/docs/en/build-with-claude/structured-outputs#json-schema-limitations
 */
function fitsStrictMode(schema: Schema): boolean {
  const required: unknown[] = Array.isArray(schema.required) ? schema.required : [];
  const properties = recordIn(schema, 'properties');
  const isObject = isOf('object', schema) || Object.hasOwn(schema, 'properties');
  const isOpen =
    schema.additionalProperties !== false || Object.keys(properties).some((name) => !required.includes(name));
  let fits = !(isObject && isOpen) && !refusedInStrict.some((name) => Object.hasOwn(schema, name));
  withInner(schema, (inner) => {
    fits &&= !isRecord(inner) || fitsStrictMode(inner);
    return inner;
  });
  return fits;
}

/**
 * Whether a schema is sent as one to be kept to strictly, as far as that was asked for. Only providers that
 * have OpenAI's strict mode refuse others, and OpenAI's own callers know what they ask for.
 * `of`: what it is the schema of.
 */
export function strictFor(
  asked: boolean | undefined,
  of: string,
  schema: Schema,
  { surface, target, warnings }: SchemaSite,
): boolean | undefined {
  const { closedSchemas } = target.provider.quirks;
  if (!closedSchemas || asked !== true || surface !== 'anthropic-messages' || fitsStrictMode(schema)) return asked;
  warnings.push(
    `the schema of ${of} is not enforced: ${target.provider.name} does so only where every object is closed and requires all that it may have`,
  );
  return false;
}

function isOf(type: string, schema: Schema): boolean {
  return [schema.type].flat().includes(type);
}
