import type { z } from 'zod';
import { FrameError } from './frame';

/** A value as the payload of a frame. */
export function toPayload(value: object): Buffer {
  return Buffer.from(JSON.stringify(value));
}

/** So many different payloads are remembered, of at most so many bytes. */
const rememberedPayloads = 256;
const longestRemembered = 1_024;

/**
 * Reads payloads that mostly say what another said before: which deployment is asked, say. What it gives is
 * shared, and must not be changed.
 */
export class RepeatedPayloads<Schema extends z.ZodType> {
  private readonly known = new Map<string, z.output<Schema>>();

  constructor(private readonly schema: Schema) {}

  /** @throws FrameError as `fromPayload`. */
  read(payload: Uint8Array): z.output<Schema> {
    if (payload.length > longestRemembered) return fromPayload(this.schema, payload);
    const text = Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength).toString('latin1');
    let value = this.known.get(text);
    if (value === undefined) {
      value = fromPayload(this.schema, payload);
      if (this.known.size >= rememberedPayloads) this.known.clear();
      this.known.set(text, value);
    }
    return value;
  }
}

/**
 * Reads a JSON payload, if another release sent one that this one knows. Null: it is empty, or not of the
 * shape.
 */
export function fromPayloadIfKnown<Schema extends z.ZodType>(
  schema: Schema,
  payload: Uint8Array,
): z.output<Schema> | null {
  if (payload.length === 0) return null;
  try {
    return fromPayload(schema, payload);
  } catch (error) {
    if (error instanceof FrameError) return null;
    throw error;
  }
}

/** Reads a JSON payload. @throws FrameError when it does not have the shape. */
export function fromPayload<Schema extends z.ZodType>(schema: Schema, payload: Uint8Array): z.output<Schema> {
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength).toString());
  } catch {
    throw new FrameError('a frame that should hold JSON does not');
  }
  const result = schema.safeParse(value);
  if (!result.success) throw new FrameError(`a frame does not have its shape: ${result.error.message}`);
  return result.data;
}
