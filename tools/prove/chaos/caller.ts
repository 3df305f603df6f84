import { createApiKey, type GenerationSurface } from '@tollgate/contracts';
import { Agent, request } from 'undici';
import type { Dispatcher } from 'undici';
import { StreamReader } from '../stream-reader';
import { clientSurfaces } from '../client-surface';
import type { ClientSurface } from '../client-surface';
import type { Act, Answer, Fate, Seen } from './acts';
import type { Credentials } from './credentials';

/** Longer than any answer may take to begin, and long enough for a provider that wakes up late. */
const patienceMs = 30_000;
/** A connection for each request: what an earlier one went through must not be seen by the next. */
const connections = new Agent({ pipelining: 0, connections: null, bodyTimeout: 0, headersTimeout: 0 });

/**
 * Everybody who asks, and what they got. Their requests carry ids, so that what was answered can be compared
 * with what is billed.
 */
export class Callers {
  /** The ids of generations that were answered whole. */
  readonly answeredWhole: string[] = [];
  private count = 0;

  constructor(
    private readonly credentials: Credentials,
    /** What every id begins with. */
    readonly run: string,
  ) {}

  /** Does one act at one edge. Never throws: trouble is what was seen. */
  async perform(act: Act, baseUrl: string): Promise<Answer> {
    const asked = this.named(requestOf(act, this.credentials, baseUrl));
    const patience = AbortSignal.timeout(patienceMs);
    const sentAt = performance.now();
    const answer = (seen: Seen, beganMs: number, hasRetryAfter = false): Answer => {
      return { act, seen, beganMs, hasRetryAfter };
    };
    try {
      const response = await send(asked, baseUrl, patience);
      const beganMs = performance.now() - sentAt;
      const hasRetryAfter = Number(response.headers['retry-after']) > 0;
      return answer(await this.read(asked, response), beganMs, hasRetryAfter);
    } catch {
      return answer(patience.aborted ? 'hung' : 'broken', performance.now() - sentAt);
    }
  }

  /** Reads one long stream to its end and tells what became of it. */
  async followStream(baseUrl: string): Promise<Fate> {
    try {
      const asked = this.named(longStream(this.credentials.apiKey));
      const seen = await this.read(asked, await send(asked, baseUrl, AbortSignal.timeout(2 * patienceMs)));
      if (seen === 200) return 'whole';
      return seen === 'short' ? 'short' : 'told';
    } catch {
      return 'broken';
    }
  }

  private named(asked: ActRequest): ActRequest & { id: string } {
    const id = `${this.run}-${this.count++}`;
    return { ...asked, headers: { ...asked.headers, 'x-request-id': id }, id };
  }

  private async read(asked: ActRequest & { id: string }, response: Dispatcher.ResponseData): Promise<Seen> {
    const seen = await readAnswer(asked, response);
    if (asked.reads && seen === 200) this.answeredWhole.push(asked.id);
    return seen;
  }
}

function send(asked: ActRequest, baseUrl: string, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
  const { method, path, headers, body } = asked;
  return request(baseUrl + path, { method, headers, body: body ?? null, signal, dispatcher: connections });
}

async function readAnswer({ reads }: ActRequest, { statusCode, body }: Dispatcher.ResponseData): Promise<Seen> {
  if (!reads || statusCode !== 200) return isJson(await body.text()) ? statusCode : 'short';
  if (!reads.stream) return textOf(reads.surface, await body.text()) ? statusCode : 'short';
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

/** Empty when it is no answer of this surface. */
function textOf(surface: ClientSurface, text: string): string {
  try {
    return surface.textOf(JSON.parse(text));
  } catch {
    return '';
  }
}

/** One act as an HTTP request. `reads` null: any JSON will do. */
interface ActRequest {
  method: 'GET' | 'POST';
  path: string;
  headers: Record<string, string>;
  body?: string;
  reads: { surface: ClientSurface; stream: boolean } | null;
}

const model = 'openai/gpt-5.4-mini';
const prompt = 'How are you? [[sandbox: tokens=20 delay_ms=5]]';

/** The request of an act. `origin` is the address that it goes to. */
function requestOf(act: Act, credentials: Credentials, origin: string): ActRequest {
  const { apiKey } = credentials;
  switch (act) {
    case 'chat':
      return generation('openai-chat', apiKey, false);
    case 'stream':
      return generation('openai-chat', apiKey, true);
    case 'messages':
      return generation('anthropic-messages', apiKey, false);
    case 'responses':
      return generation('openai-responses', apiKey, true);
    case 'new key':
      return generation('openai-chat', createApiKey('tg'), false);
    case 'wrong key':
      return generation('openai-chat', mistyped(apiKey), false);
    case 'models':
      return get('/v1/models', apiKey);
    case 'usage':
      return get('/v1/usage', apiKey);
    case 'metrics':
      return get('/api/metrics', apiKey);
    case 'sign-in':
      return signIn(credentials, origin);
    case 'livez':
    case 'readyz':
      return { method: 'GET', path: `/${act}`, headers: {}, reads: null };
  }
}

/** A chat stream of about four seconds. */
function longStream(apiKey: string): ActRequest {
  return generation('openai-chat', apiKey, true, 'Go on. [[sandbox: tokens=100 delay_ms=40]]');
}

function generation(name: GenerationSurface, apiKey: string, stream: boolean, text = prompt): ActRequest {
  const surface = clientSurfaces[name];
  return {
    method: 'POST',
    path: surface.path,
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(surface.body(model, text, stream)),
    reads: { surface, stream },
  };
}

function get(path: string, apiKey: string): ActRequest {
  return { method: 'GET', path, headers: { authorization: `Bearer ${apiKey}` }, reads: null };
}

function signIn({ email, password, cookie, csrfToken }: Credentials, origin: string): ActRequest {
  return {
    method: 'POST',
    path: '/api/auth/sign-in',
    headers: { 'content-type': 'application/json', origin, cookie, 'x-csrf-token': csrfToken },
    body: JSON.stringify({ email, password }),
    reads: null,
  };
}

function mistyped(apiKey: string): string {
  return apiKey.slice(0, -1) + (apiKey.endsWith('0') ? '1' : '0');
}
