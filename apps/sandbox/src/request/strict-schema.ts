import { isRecord } from './record';
import { demand } from './refusal';

/**
 * Where OpenAI's strict mode has its schemas: every object is closed, and all of its properties are required.
 * https://platform.openai.com/docs/guides/structured-outputs#supported-schemas
 * @throws Refusal
 */
export function demandStrict(schema: unknown, where: string, param: string): void {
  demandClosed(schema, `Invalid schema for ${where}: In context=`, [], param);
}

function demandClosed(schema: unknown, begin: string, path: readonly string[], param: string): void {
  if (!isRecord(schema)) return;
  const place = `${begin}(${path.map((name) => `'${name}'`).join(', ')}), `;
  const details = { param, code: 'invalid_function_parameters' };
  if (isRecord(schema.properties)) {
    demand(
      schema.additionalProperties === false,
      `${place}'additionalProperties' is required to be supplied and to be false.`,
      details,
    );
    const required: unknown[] = Array.isArray(schema.required) ? schema.required : [];
    for (const [name, property] of Object.entries(schema.properties)) {
      demand(
        required.includes(name),
        `${place}'required' is required to be supplied and to be an array including every key in properties. Missing '${name}'.`,
        details,
      );
      demandClosed(property, begin, [...path, 'properties', name], param);
    }
  }
  demandClosed(schema.items, begin, [...path, 'items'], param);
  for (const [name, definition] of isRecord(schema.$defs) ? Object.entries(schema.$defs) : [])
    demandClosed(definition, begin, [...path, '$defs', name], param);
  for (const [index, option] of Array.isArray(schema.anyOf) ? schema.anyOf.entries() : [])
    demandClosed(option, begin, [...path, 'anyOf', `${index}`], param);
}
