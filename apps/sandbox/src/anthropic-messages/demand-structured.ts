import { isRecord } from '../request/record';
import { demand } from '../request/refusal';

/**
 * What grammars cannot express.
 * https://platform.claude.com/docs/en/build-with-claude/structured-outputs#json-schema-limitations
 */
const unsupported: Readonly<Record<string, readonly string[]>> = {
  number: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  integer: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  string: ['minLength', 'maxLength'],
  array: ['maxItems', 'uniqueItems'],
};

/** Structured output takes closed objects and no numeric bounds. @throws Refusal */
export function demandStructured(schema: unknown, where: string): void {
  if (!isRecord(schema)) return;
  const type = typeof schema.type === 'string' ? schema.type : '';
  demand(
    type !== 'object' || schema.additionalProperties === false,
    `${where}: For 'object' type, 'additionalProperties' must be explicitly set to false`,
  );
  for (const name of unsupported[type] ?? [])
    demand(schema[name] === undefined, `${where}: For '${type}' type, property '${name}' is not supported`);
  demandStructured(schema.items, where);
  for (const members of [schema.properties, schema.$defs, schema.definitions])
    for (const member of isRecord(members) ? Object.values(members) : []) demandStructured(member, where);
  for (const options of [schema.anyOf, schema.allOf])
    for (const option of Array.isArray(options) ? options : []) demandStructured(option, where);
}
