import { Agent, request } from 'undici';
import type { Dispatcher } from 'undici';
import { StreamReader } from '../stream-reader';
import type { Act, Answer, Fate, Seen } from './acts';
import type { Credentials } from './credentials';
import { requestOf } from './requests';
import type { ActRequest } from './requests';

/** Longer than any answer may take to begin, and long enough for a provider that wakes up late. */
const patienceMs = 30_000;
/** A connection for each request: what an earlier one went through must not be seen by the next. */
const connections = new Agent({ pipelining: 0, connections: null, bodyTimeout: 0, headersTimeout: 0 });

/** Does one act at one edge. Never throws: trouble is what was seen. */
export async function perform(act: Act, credentials: Credentials, baseUrl: string): Promise<Answer> {
  const asked = requestOf(act, credentials, baseUrl);
  const patience = AbortSignal.timeout(patienceMs);
  const sentAt = performance.now();
  const answer = (seen: Seen, beganMs: number, hasRetryAfter = false): Answer => ({
    act,
    seen,
    beganMs,
    hasRetryAfter,
  });
  try {
    const response = await send(asked, baseUrl, patience);
    const beganMs = performance.now() - sentAt;
    const hasRetryAfter = Number(response.headers['retry-after']) > 0;
    return answer(await read(asked, response), beganMs, hasRetryAfter);
  } catch {
    return answer(patience.aborted ? 'hung' : 'broken', performance.now() - sentAt);
  }
}

/** Reads one long stream to its end and tells what became of it. */
export async function followStream(asked: ActRequest, baseUrl: string): Promise<Fate> {
  try {
    const seen = await read(asked, await send(asked, baseUrl, AbortSignal.timeout(2 * patienceMs)));
    if (seen === 200) return 'whole';
    return seen === 'short' ? 'short' : 'told';
  } catch {
    return 'broken';
  }
}

function send(asked: ActRequest, baseUrl: string, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
  const { method, path, headers, body } = asked;
  return request(baseUrl + path, { method, headers, body: body ?? null, signal, dispatcher: connections });
}

async function read({ reads }: ActRequest, { statusCode, body }: Dispatcher.ResponseData): Promise<Seen> {
  if (!reads || statusCode !== 200) return isJson(await body.text()) ? statusCode : 'short';
  if (!reads.stream) return textOf(reads.surface.textOf, await body.text()) ? statusCode : 'short';
  const reader = new StreamReader(reads.surface);
  for await (const bytes of body) if (bytes instanceof Uint8Array) reader.read(bytes);
  if (reader.error !== null) return reader.done ? 'short' : 'told';
  return reader.done && reader.content !== '' ? statusCode : 'short';
}

function isJson(text: string): boolean {
  try {
    return typeof JSON.parse(text) === 'object';
  } catch {
    return false;
  }
}

function textOf(read: (answer: unknown) => string, text: string): string {
  try {
    return read(JSON.parse(text));
  } catch {
    return '';
  }
}
