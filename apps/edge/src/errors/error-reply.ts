import type { GatewayError } from '@tollgate/contracts';
import { surfaceAt } from '@tollgate/dialects/surface';

/** What passes soon is always told with a time: who knows none backs off as it likes. Seconds. */
const passing: ReadonlySet<number> = new Set([502, 503]);
const passingRetryS = 2;
/** The same request would get the same answer. Clients of OpenAI and Anthropic ask again all the same unless they are told: https://github.com/openai/openai-node/blob/master/src/client.ts */
const lasting: ReadonlySet<number> = new Set([400, 401, 403, 404, 413, 415, 422]);
/** They wait no longer than this for a Retry-After, seconds, and ask much sooner where it is longer. */
const longestRetryS = 60;

/** The headers that belong to an error beside its body. `allow` lists the methods of a 405. */
export function errorHeaders(error: GatewayError, allow: readonly string[] = []): Record<string, string> {
  const headers: Record<string, string> = { 'content-type': 'application/json; charset=utf-8' };
  const retryAfterS = error.retryAfterS ?? (passing.has(error.status) ? passingRetryS : null);
  if (retryAfterS !== null) headers['retry-after'] = String(retryAfterS);
  if (error.limit) headers['x-tollgate-limit'] = error.limit.limit;
  if (lasting.has(error.status) || isLate(error)) headers['x-should-retry'] = 'false';
  if (error.status === 401) headers['www-authenticate'] = 'Bearer';
  if (error.status === 405) headers['allow'] = allow.join(', ');
  return headers;
}

/** A limit that nobody should wait for. */
function isLate({ status, retryAfterS }: GatewayError): boolean {
  return status === 429 && (retryAfterS ?? 0) > longestRetryS;
}

/** The body of an error answer, as text, in the words of the dialect that is spoken at `path`. `originator`: the caller's header of that name, by which Codex is known. */
export function errorText(error: GatewayError, path: string, requestId: string, originator?: unknown): string {
  // Codex sleeps for as long as Retry-After says, for days too, and ends at this code only (seen with 0.169.0): https://platform.openai.com/docs/guides/error-codes
  if (isLate(error) && typeof originator === 'string' && originator.startsWith('codex'))
    return JSON.stringify({ error: { ...error.body.error, code: 'insufficient_quota' } });
  return JSON.stringify(surfaceAt(path)?.errorBody(error, requestId) ?? error.body);
}
