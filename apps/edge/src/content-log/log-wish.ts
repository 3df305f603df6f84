import type { CallerKey } from '@tollgate/contracts';
import { GatewayError } from '@tollgate/contracts';
import type { IncomingHttpHeaders } from 'node:http';

/**
 * Whether a request may be logged, as far as its key and its caller say so: `x-tollgate-log: off` keeps it
 * out.
 * @throws GatewayError 400 for a header that says something else: whoever wrote it may rely on it.
 */
export function mayBeLogged(headers: IncomingHttpHeaders, { logContent }: Pick<CallerKey, 'logContent'>): boolean {
  const asked = headers['x-tollgate-log'];
  if (asked === undefined) return logContent;
  if (asked !== 'off') throw new GatewayError(400, "The header 'x-tollgate-log' must be off.");
  return false;
}
