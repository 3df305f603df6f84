import { isRecord } from '@tollgate/dialects/surface';
import { isKeptId } from './turn';

/** More items of one response cannot be named. */
const mostItemIds = 10_000;

/**
 * A response that was told whole: the list of its output and everything else, as JSON text, and the ids that
 * it and its items go by.
 */
export interface ToldResponse {
  readonly id: string;
  readonly output: Uint8Array;
  readonly rest: Uint8Array;
  readonly itemIds: readonly string[];
}

/**
 * The response in a document, or in the event that closed a stream. Null: it failed, cannot be read, or has
 * no id that it can be kept under.
 */
export function readTold(json: Uint8Array, isEvent: boolean): ToldResponse | null {
  const response = responseIn(Buffer.from(json.buffer, json.byteOffset, json.byteLength).toString('utf8'), isEvent);
  if (!response || !isKeptId(response.id)) return null;
  const { id, output: told, ...others } = response;
  const output: unknown[] = Array.isArray(told) ? told : [];
  return {
    id,
    output: Buffer.from(JSON.stringify(output)),
    rest: Buffer.from(JSON.stringify({ id, ...others })),
    itemIds: output.flatMap(idOf).slice(0, mostItemIds),
  };
}

/** A response that nothing came of: it failed, or was cancelled. */
export function nothingTold({ id, output: _, ...others }: Record<string, unknown>): ToldResponse {
  return {
    id: String(id),
    output: Buffer.from('[]'),
    rest: Buffer.from(JSON.stringify({ id, ...others })),
    itemIds: [],
  };
}

function responseIn(text: string, isEvent: boolean): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    const response = isEvent && isRecord(value) ? value.response : value;
    if (!isRecord(response) || (response.status !== 'completed' && response.status !== 'incomplete')) return null;
    return response;
  } catch {
    return null;
  }
}

function idOf(item: unknown): string[] {
  return isRecord(item) && isKeptId(item.id) ? [item.id] : [];
}
