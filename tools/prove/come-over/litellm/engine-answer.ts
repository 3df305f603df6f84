/**
 * A value of the engine's answer as the client for Python expects it: in GraphQL a date, a large number or
 * JSON is plain text, where the JSON protocol writes its type beside it.
 */
export function untagged(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(untagged);
  if (typeof value !== 'object' || value === null) return value;
  if ('$type' in value) return 'value' in value ? value.value : null;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, untagged(one)]));
}

interface RawRows {
  columns: string[];
  types: string[];
  rows: unknown[][];
}

export function isRawRows(value: unknown): value is RawRows {
  return typeof value === 'object' && value !== null && 'columns' in value && 'types' in value && 'rows' in value;
}

/** Rows of SQL as engines before Prisma 5.14 told them: every value with its type. */
export function typedRows({ columns, types, rows }: RawRows): Record<string, unknown>[] {
  return rows.map((row) =>
    Object.fromEntries(columns.map((column, index) => [column, typed(types[index] ?? 'string', row[index])])),
  );
}

function typed(type: string, value: unknown): object {
  if (value === null || value === undefined) return { prisma__type: 'null', prisma__value: null };
  if (!type.endsWith('-array')) return { prisma__type: type, prisma__value: value };
  const item = type.slice(0, -'-array'.length);
  const list = Array.isArray(value) ? value.map((one) => typed(item, one)) : [];
  return { prisma__type: 'array', prisma__value: list };
}
