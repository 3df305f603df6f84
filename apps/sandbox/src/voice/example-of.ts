import { isRecord } from './record';

const deepest = 8;

/** A value that fits a JSON schema well enough to be taken for an argument: every property filled, enumerations with their first value. */
export function exampleOf(schema: unknown, depth = 0): unknown {
  if (!isRecord(schema)) return depth === 0 ? {} : 'example';
  if (Array.isArray(schema.enum)) return schema.enum[0] as unknown;
  const type: unknown = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  if (type === 'number' || type === 'integer') return 7;
  if (type === 'boolean') return true;
  if (type === 'null') return null;
  if (type === 'array') return depth < deepest ? [exampleOf(schema.items, depth + 1)] : [];
  if (type !== 'object' && depth > 0) return 'example';
  const properties = isRecord(schema.properties) && depth < deepest ? Object.entries(schema.properties) : [];
  return Object.fromEntries(properties.map(([name, property]) => [name, exampleOf(property, depth + 1)]));
}
