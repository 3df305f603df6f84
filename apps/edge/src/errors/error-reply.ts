import type { GatewayError } from '@tollgate/contracts';
import { surfaceAt } from '@tollgate/dialects/surface';

/** The headers that belong to an error beside its body. `allow` lists the methods of a 405. */
export function errorHeaders(error: GatewayError, allow: readonly string[] = []): Record<string, string> {
  const headers: Record<string, string> = { 'content-type': 'application/json; charset=utf-8' };
  if (error.retryAfterS !== null) headers['retry-after'] = String(error.retryAfterS);
  if (error.status === 401) headers['www-authenticate'] = 'Bearer';
  if (error.status === 405) headers['allow'] = allow.join(', ');
  return headers;
}

/** The body of an error answer, as text, in the words of the dialect that is spoken at `path`. */
export function errorText(error: GatewayError, path: string, requestId: string): string {
  return JSON.stringify(surfaceAt(path)?.errorBody(error, requestId) ?? error.body);
}
