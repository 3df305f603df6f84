import type { z } from 'zod';
import { FrameError } from './frame';

/** A value as the payload of a frame. */
export function toPayload(value: object): Buffer {
  return Buffer.from(JSON.stringify(value));
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
