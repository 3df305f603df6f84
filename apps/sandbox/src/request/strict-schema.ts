import { isRecord } from './record';
import { demand } from './refusal';

/** Where schemas stand by name, alone and in lists. */
const byName = ['properties', '$defs', 'definitions'];
const inner = ['items', 'additionalProperties', 'anyOf', 'oneOf', 'allOf'];

/**
 * What OpenAI wants of every function's schema: that of an object names its properties, and one of a list
 * says what is in it. In the words of https://github.com/openai/openai-agents-python/issues/449
 * https://github.com/digitalocean-labs/mcp-digitalocean/issues/265
 * @throws Refusal
 */
export function demandSaid(schema: Record<string, unknown>, where: string, param: string): void {
  const details = { param, code: 'invalid_function_parameters' };
  const begin = `Invalid schema for ${where}: In context=`;
  demand(
    schema.type !== 'object' || isRecord(schema.properties),
    `${begin}(), object schema missing properties.`,
    details,
  );
  const demandItems = (value: unknown, path: readonly string[]): void => {
    if (Array.isArray(value)) for (const [at, each] of value.entries()) demandItems(each, [...path, `${at}`]);
    if (!isRecord(value)) return;
    const place = path.map((name) => `'${name}'`).join(', ');
    demand(
      value.type !== 'array' || value.items !== undefined,
      `${begin}(${place}), array schema missing items.`,
      details,
    );
    for (const group of byName)
      for (const [name, each] of Object.entries(isRecord(value[group]) ? value[group] : {}))
        demandItems(each, [...path, group, name]);
    for (const name of inner) demandItems(value[name], [...path, name]);
  };
  demandItems(schema, []);
}

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
