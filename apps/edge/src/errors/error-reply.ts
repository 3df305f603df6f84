import type { GatewayError } from '@tollgate/contracts';
import { surfaceAt } from '@tollgate/dialects/surface';
import { STATUS_CODES } from 'node:http';

/** What passes soon is always told with a time: who knows none backs off as it likes. Seconds. */
const passing: ReadonlySet<number> = new Set([502, 503]);
const passingRetryS = 2;
/**
 * The same request would get the same answer. Clients of OpenAI and Anthropic ask again all the same unless
 * they are told: https://github.com/openai/openai-node/blob/master/src/client.ts
 */
const lasting: ReadonlySet<number> = new Set([400, 401, 403, 404, 409, 413, 415, 422]);
/** They wait no longer than this for a Retry-After, seconds, and ask much sooner where it is longer. */
const longestRetryS = 60;

/**
 * They sleep for as long as they are told, for days too. Told nothing, Codex ends at once, opencode after a
 * minute, and Qwen Code asks a few times a minute and says so (seen with Codex 0.169.0, opencode 1.18.33 and
 * Qwen Code 0.24.4).
 */
const sleepers = /^(?:codex|opencode\/|QwenCode\/)/;

/**
 * What the headers of an error depend on beside it: the methods of a 405, and the program that calls, as
 * RequestContext has it.
 */
interface ErrorFacts {
  readonly allow?: readonly string[];
  readonly program?: unknown;
}

/** The headers that belong to an error beside its body. */
export function errorHeaders(error: GatewayError, { allow = [], program }: ErrorFacts = {}): Record<string, string> {
  const headers: Record<string, string> = { 'content-type': 'application/json; charset=utf-8' };
  const retryAfterS = error.retryAfterS ?? (passing.has(error.status) ? passingRetryS : null);
  const sleepsAnyway = isLate(error) && typeof program === 'string' && sleepers.test(program);
  if (retryAfterS !== null && !sleepsAnyway) headers['retry-after'] = String(retryAfterS);
  if (error.limit) headers['x-tollgate-limit'] = error.limit.limit;
  if (lasting.has(error.status) || isLate(error)) headers['x-should-retry'] = 'false';
  if (error.status === 401) headers['www-authenticate'] = 'Bearer';
  if (error.status === 405) headers['allow'] = allow.join(', ');
  // https://www.rfc-editor.org/rfc/rfc9110#section-15.5.22
  if (error.status === 426) headers['upgrade'] = 'HTTP/1.1';
  return headers;
}

/** A limit that nobody should wait for. */
function isLate({ status, retryAfterS, limit }: GatewayError): boolean {
  // A budget that never resets has no time.
  const afterS = retryAfterS ?? (limit?.limit === 'budget' ? Infinity : 0);
  return status === 429 && (afterS > longestRetryS || limit?.isNothing === true);
}

/** The body of an error answer, as text, in the words of the dialect that is spoken at `path`. */
export function errorText(error: GatewayError, path: string, requestId: string): string {
  return JSON.stringify(surfaceAt(path)?.errorBody(error, requestId) ?? error.body);
}

/** A whole answer, for a connection that nobody else answers on; it is the last one there. */
export function lastAnswer(error: GatewayError, text: string, headers: Readonly<Record<string, string>>): string {
  const all = { ...headers, 'content-length': String(Buffer.byteLength(text)), connection: 'close' };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}\r\n${lines.join('')}\r\n${text}`;
}
