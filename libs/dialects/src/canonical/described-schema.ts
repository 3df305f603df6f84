import type { ResponseFormat } from './generation-request';

/**
 * The schema of a format with the format's description in it, for dialects that have no place beside the
 * schema.
 */
export function describedSchema({
  schema,
  description,
}: Extract<ResponseFormat, { type: 'json-schema' }>): Record<string, unknown> {
  if (!description) return schema;
  const { description: own } = schema;
  return { ...schema, description: typeof own === 'string' ? `${description}\n\n${own}` : description };
}
