const step = '    ';

/** A JSON value as Python writes it, at a depth of indentation. A string is one in both languages. */
export function pythonLiteral(value: unknown, depth = 0): string {
  if (value === null || value === undefined) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (Array.isArray(value))
    return lines(
      '[',
      value.map((item: unknown) => pythonLiteral(item, depth + 1)),
      ']',
      depth,
    );
  if (typeof value === 'object')
    return lines(
      '{',
      Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}: ${pythonLiteral(member, depth + 1)}`),
      '}',
      depth,
    );
  return JSON.stringify(value);
}

function lines(open: string, items: string[], close: string, depth: number): string {
  if (items.length === 0) return open + close;
  const indent = step.repeat(depth + 1);
  return `${open}\n${items.map((item) => `${indent}${item},\n`).join('')}${step.repeat(depth)}${close}`;
}
