import { staleTokenReason } from '@tollgate/contracts/accounts';
import { z } from 'zod/mini';
import { ApiError, toApiError } from './api-error';

type Shape = z.core.$ZodType;
export type Query = Record<string, string | number | boolean | null | undefined>;

/** The token that every change must carry; told by GET /api/auth/me and kept in memory only. */
let csrfToken = '';
export function keepCsrfToken(token: string): void {
  csrfToken = token;
}

declare global {
  interface Window {
    /** What `start.ts` asked for by itself, while the files of the page were still on their way. */
    asked?: Partial<Record<string, Promise<Response>>>;
  }
}

/** The answer that is on its way already; it is taken once. Undefined: none is. */
function takeAsked(path: string): Promise<Response> | undefined {
  const answer = globalThis.window?.asked?.[path];
  if (answer) delete window.asked?.[path];
  return answer;
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

/** What is told where no answer came in time: of the connection, of proxies before the gateway, and of edge. */
const noAnswer = [0, 502, 503, 504];
/** Removals that may have been done or not. */
const unanswered = new Set<string>();

/**
 * Makes something, once under `once`: asked again it answers as before. Where no answer comes its message
 * says so, and where something else was made under it before, that.
 * @throws ApiError why it is not made, or not known to be.
 */
export async function create<S extends Shape>(path: string, body: object, shape: S, once: string): Promise<z.infer<S>> {
  try {
    return await parsed(await change('POST', path, body, { once }), shape);
  } catch (error) {
    if (error instanceof ApiError && noAnswer.includes(error.status))
      throw error.with('It may have been made: press again, and you are shown what was made. It is not made twice.');
    if (error instanceof ApiError && error.reason === 'idempotency_key_reused')
      throw error.saying(
        'It was made when no answer came, as you had filled this in then. Fill it in like that again, and you are shown what was made; or close this, and find it in the list.',
      );
    throw error;
  }
}

/**
 * Removes something. What is not found any more once a removal of it had no answer was removed by that.
 * @throws ApiError why it is not removed, or not known to be.
 */
export async function remove(path: string, body: object = {}): Promise<void> {
  const removal = `${path} ${JSON.stringify(body)}`;
  try {
    await tell(path, body);
  } catch (error) {
    const status = error instanceof ApiError ? error.status : null;
    if (status !== null && noAnswer.includes(status)) unanswered.add(removal);
    if (status !== 404 || !unanswered.has(removal)) throw error;
  }
  unanswered.delete(removal);
}

/**
 * A change with its answer unread, for streams. Where somebody signed in again in another tab it is sent once
 * more, as nothing was done.
 * @throws ApiError 401 when nobody is signed in any more.
 */
export async function change(
  method: string,
  path: string,
  body: object,
  { signal, once }: { signal?: AbortSignal | undefined; once?: string } = {},
): Promise<Response> {
  const send = (token: string) =>
    answered(path, {
      method,
      headers: {
        ...{ 'content-type': 'application/json', 'x-csrf-token': token },
        ...(once !== undefined && { 'idempotency-key': once }),
      },
      body: JSON.stringify(body),
      signal: signal ?? null,
    });
  try {
    return await send(csrfToken || (await newToken(path)));
  } catch (error) {
    if (!(error instanceof ApiError) || error.reason !== staleTokenReason) throw error;
    return send(await newToken(path));
  }
}

const session = z.object({ csrfToken: z.string(), user: z.optional(z.nullable(z.unknown())) });

/**
 * The token of whoever is signed in now; a page that a mail leads to may change something before anything
 * else was asked.
 */
async function newToken(path: string): Promise<string> {
  const told = await parsed(await answered('/api/auth/me', {}), session);
  csrfToken = told.csrfToken;
  if (told.user === null && !isForEverybody(path)) {
    for (const listener of lostSession) listener();
    throw new ApiError(401, 'You were signed out. Sign in again; what you typed stays here.');
  }
  return csrfToken;
}

/** Signing in and what goes with it, of which a refusal says nothing about the session. */
const isForEverybody = (path: string) => path.startsWith('/api/auth/');

async function answered(path: string, init: RequestInit): Promise<Response> {
  const asked = takeAsked(path) ?? fetch(path, { credentials: 'same-origin', ...init });
  const response = await asked.catch((error: unknown) => {
    if (init.signal?.aborted) throw error;
    throw new ApiError(0, 'The gateway cannot be reached. Check the connection and try again.');
  });
  if (response.ok) return response;
  const error = await toApiError(response);
  if (error.status === 401 && !isForEverybody(path)) for (const listener of lostSession) listener();
  throw error;
}

async function parsed<S extends Shape>(response: Response, shape: S): Promise<z.infer<S>> {
  const answer = z.safeParse(shape, await response.json().catch(() => null));
  if (!answer.success) throw new ApiError(response.status, 'The gateway gave an answer that this page cannot read.');
  return answer.data;
}
