import type { GatewayError } from '@tollgate/contracts';

/** The headers that belong to an error beside its body. `allow` lists the methods of a 405. */
export function errorHeaders(error: GatewayError, allow: readonly string[] = []): Record<string, string> {
  const headers: Record<string, string> = { 'content-type': 'application/json; charset=utf-8' };
  if (error.retryAfterS !== null) headers['retry-after'] = String(error.retryAfterS);
  if (error.status === 401) headers['www-authenticate'] = 'Bearer';
  if (error.status === 405) headers['allow'] = allow.join(', ');
  return headers;
}

/** The body of an error answer, as text. */
export function errorText(error: GatewayError): string {
  return JSON.stringify(error.body);
}
