import { asItems } from '@tollgate/dialects/surface';

/**
 * The new input of a turn as a guardrail has left it in its request (`left`): what was taken out of it is not
 * kept either.
 */
export function inputAsLeft(input: Uint8Array, left: unknown): Buffer {
  const items: unknown = typeof left === 'object' && left !== null && 'input' in left ? left.input : undefined;
  if (!Array.isArray(items)) return asItems(Buffer.from(JSON.stringify(items ?? [])));
  const came = JSON.parse(Buffer.from(input).toString('utf8')) as unknown[];
  return Buffer.from(JSON.stringify(items.slice(-came.length || items.length)));
}
