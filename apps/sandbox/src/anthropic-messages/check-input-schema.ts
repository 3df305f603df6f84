import { isRecord } from '../request/record';
import { demand } from '../request/refusal';

/** Where schemas stand by name, and where alone or in lists. */
const byName = ['properties', 'patternProperties', '$defs', 'definitions'];
const beside = ['items', 'additionalProperties', 'not', 'contains', 'anyOf', 'allOf', 'oneOf', 'prefixItems'];

/**
 * Of nested ones nothing is reported. https://github.com/anthropics/claude-code/issues/79418
 * https://github.com/decocms/studio/pull/6874
 */
const legalKey = /^[a-zA-Z0-9_.-]{1,64}$/;

/**
 * Claude takes the schema of an object, in JSON Schema 2020-12 and without unions at its top, at whoever's.
 * https://github.com/anthropics/claude-code/issues/44788 https://github.com/code-yeongyu/senpi/issues/1947
 * `where`: as it names the tool. @throws Refusal
 */
export function checkInputSchema(schema: Record<string, unknown>, where: string): void {
  for (const combined of ['oneOf', 'allOf', 'anyOf'])
    demand(
      schema[combined] === undefined,
      `${where}.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level`,
    );
  const properties = isRecord(schema.properties) ? Object.keys(schema.properties) : [];
  demand(
    properties.every((name) => legalKey.test(name)),
    `${where}.input_schema.properties: Property keys should match pattern '${legalKey.source}'`,
  );
  demand(
    isCurrent(schema),
    `${where}.input_schema: JSON schema is invalid. It must match JSON Schema draft 2020-12 (https://json-schema.org/draft/2020-12). Learn more about tool use at https://platform.claude.com/docs/en/agents-and-tools/tool-use/overview.`,
  );
}

/**
 * Of what 2020-12 no longer knows, that which reports name: a list of items, bounds that say of others
 * whether they are exclusive, a property that calls itself required.
 * https://github.com/AlexGladkov/claude-in-mobile/issues/57 https://github.com/Dokploy/mcp/issues/74
 * https://github.com/MarkusPfundstein/mcp-gsuite/pull/34
 */
function isCurrent(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.every(isCurrent);
  if (!isRecord(schema)) return true;
  const { items, exclusiveMinimum, exclusiveMaximum, required = [] } = schema;
  const isOld = Array.isArray(items) || typeof exclusiveMinimum === 'boolean' || typeof exclusiveMaximum === 'boolean';
  if (isOld || !Array.isArray(required)) return false;
  const named = byName.flatMap((name) => (isRecord(schema[name]) ? Object.values(schema[name]) : []));
  return [...named, ...beside.map((name) => schema[name])].every(isCurrent);
}
