import { z } from 'zod';

/** The error object of the API; surfaces may add to it in their own dialect. */
const errorBody = z.object({
  error: z.object({ message: z.string().min(1), type: z.string().min(1), code: z.number().int() }),
});

/** An answer to a hostile request. */
export interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
}

/**
 * Why an answer breaks the promise that bad input is the caller's affair and told in the API's own form;
 * null: it does not.
 */
export function faultOf(method: string, { status, headers, text }: Answer): string | null {
  if (status >= 500) return `${status}: ${text.slice(0, 300)}`;
  if (typeof headers['x-request-id'] !== 'string' && status !== 400) return `${status} without x-request-id`;
  if (headers['x-injected'] !== undefined) return 'a header of the caller came back';
  if (status < 400 || method === 'HEAD') return null;
  const parsed = errorBody.safeParse(jsonOrNull(text));
  if (!parsed.success) return `${status} without an error object: ${text.slice(0, 300)}`;
  return parsed.data.error.code === status ? null : `${status} says that it is ${parsed.data.error.code}`;
}

function jsonOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
