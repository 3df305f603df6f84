import { z } from 'zod/mini';
import { ApiError, toApiError } from './api-error';

type Shape = z.core.$ZodType;
export type Query = Record<string, string | number | boolean | null | undefined>;

/** The token that every change must carry; told by GET /api/auth/me and kept in memory only. */
let csrfToken = '';
export function keepCsrfToken(token: string): void {
  csrfToken = token;
}

const lostSession = new Set<() => void>();
/** Calls `listener` when an answer says that nobody is signed in any more. Returns how to stop that. */
export function onLostSession(listener: () => void): () => void {
  lostSession.add(listener);
  return () => lostSession.delete(listener);
}

/** A path with the parameters that have a value. */
export function withQuery(path: string, query: Query = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== null && value !== '') search.set(name, String(value));
  const text = search.toString();
  return text ? `${path}?${text}` : path;
}

export async function get<S extends Shape>(
  path: string,
  shape: S,
  query?: Query,
  signal?: AbortSignal,
): Promise<z.infer<S>> {
  return parsed(await answered(withQuery(path, query), { signal: signal ?? null }), shape);
}

export async function post<S extends Shape>(path: string, body: object, shape: S): Promise<z.infer<S>> {
  return parsed(await change('POST', path, body), shape);
}

export async function patch<S extends Shape>(path: string, body: object, shape: S): Promise<z.infer<S>> {
  return parsed(await change('PATCH', path, body), shape);
}

/** A change whose answer does not matter beyond its success. */
export async function tell(path: string, body: object = {}): Promise<void> {
  await change('POST', path, body);
}

/** A change with its answer unread, for streams. */
export async function change(method: string, path: string, body: object, signal?: AbortSignal): Promise<Response> {
  return answered(path, {
    method,
    headers: { 'content-type': 'application/json', 'x-csrf-token': csrfToken || (await firstToken()) },
    body: JSON.stringify(body),
    signal: signal ?? null,
  });
}

/** A page that a mail leads to may change something before anything else was asked. */
async function firstToken(): Promise<string> {
  const told = await parsed(await answered('/api/auth/me', {}), z.object({ csrfToken: z.string() }));
  return (csrfToken = told.csrfToken);
}

async function answered(path: string, init: RequestInit): Promise<Response> {
  const response = await fetch(path, { credentials: 'same-origin', ...init }).catch((error: unknown) => {
    if (init.signal?.aborted) throw error;
    throw new ApiError(0, 'The gateway cannot be reached. Check the connection and try again.');
  });
  if (response.ok) return response;
  const error = await toApiError(response);
  if (error.status === 401 && !path.startsWith('/api/auth/')) for (const listener of lostSession) listener();
  throw error;
}

async function parsed<S extends Shape>(response: Response, shape: S): Promise<z.infer<S>> {
  const answer = z.safeParse(shape, await response.json().catch(() => null));
  if (!answer.success) throw new ApiError(response.status, 'The gateway gave an answer that this page cannot read.');
  return answer.data;
}
