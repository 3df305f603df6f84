import { textIn } from '../request/read-values';
import { isRecord } from '../request/record';
import { demand } from '../request/refusal';
import { demandFields } from './demand-fields';

/** https://ai.google.dev/api/caching#Schema */
const knownMembers = [
  'type',
  'format',
  'title',
  'description',
  'nullable',
  'enum',
  'maxItems',
  'minItems',
  'properties',
  'required',
  'minProperties',
  'maxProperties',
  'minLength',
  'maxLength',
  'pattern',
  'example',
  'anyOf',
  'propertyOrdering',
  'default',
  'items',
  'minimum',
  'maximum',
];

const types = ['STRING', 'NUMBER', 'INTEGER', 'BOOLEAN', 'ARRAY', 'OBJECT', 'NULL'];

/** Refuses what is JSON Schema but not Google's part of OpenAPI. @throws Refusal */
export function demandOpenApi(schema: unknown, place: string): void {
  demand(isRecord(schema), `Invalid value at '${place}'`);
  demandFields(schema, knownMembers, place);
  const type = textIn(schema.type).toUpperCase();
  demand(
    schema.type === undefined || types.includes(type),
    `Invalid value at '${place}.type': ${JSON.stringify(schema.type)}`,
  );
  demand(schema.enum === undefined || type === 'STRING', `* ${place}.enum: only allowed for STRING type\n`);
  demand(type !== 'ARRAY' || schema.items !== undefined, `* ${place}.items: missing field.\n`);
  const properties = isRecord(schema.properties) ? Object.entries(schema.properties) : [];
  demand(type !== 'OBJECT' || properties.length > 0, `* ${place}.properties: should be non-empty for OBJECT type\n`);
  const required: unknown[] = Array.isArray(schema.required) ? schema.required : [];
  for (const name of required)
    demand(
      properties.some(([known]) => known === name),
      `* ${place}.required: property is not defined: ${textIn(name)}\n`,
    );
  for (const [name, property] of properties) demandOpenApi(property, `${place}.properties[${name}]`);
  if (schema.items !== undefined) demandOpenApi(schema.items, `${place}.items`);
  for (const [index, option] of Array.isArray(schema.anyOf) ? schema.anyOf.entries() : [])
    demandOpenApi(option, `${place}.any_of[${index}]`);
}
