import { GatewayError } from '@tollgate/contracts';
import { staleTokenReason } from '@tollgate/contracts/accounts';
import type { IncomingHttpHeaders } from 'node:http';
import type { SessionCookie } from './session-cookie';

/**
 * Refuses a change that a page of another site makes with our visitor's cookies: the browser must say that
 * the page is ours, and the page must know the token that GET /api/auth/me tells. `host` is the one that the
 * browser asked for.
 * @throws GatewayError 403.
 */
export function requireOwnPage(headers: IncomingHttpHeaders, host: string, cookie: SessionCookie): void {
  if (!isSameOrigin(headers, host))
    throw new GatewayError(
      403,
      'This request comes from another site, or does not say from which: open the dashboard itself.',
    );
  const given = headers['x-csrf-token'];
  if (typeof given === 'string' && cookie.accepts(given)) return;
  const message = 'This page is of a session that is over, or is not the dashboard: load it again.';
  throw new GatewayError(403, message).withDetails({ reason: staleTokenReason });
}

/**
 * https://developer.mozilla.org/docs/Web/HTTP/Headers/Sec-Fetch-Site; browsers without it send Origin with
 * every POST.
 */
function isSameOrigin({ origin, ...headers }: IncomingHttpHeaders, host: string): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin') return false;
  if (origin !== undefined) return hostOf(origin) === host;
  return site !== undefined;
}

function hostOf(origin: string): string | null {
  return URL.canParse(origin) ? new URL(origin).host : null;
}
