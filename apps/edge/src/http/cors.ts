import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyRequest } from 'fastify';
import { Settings } from '../settings';

/**
 * Only what is called with a key may be called from other origins: the dashboard's own API goes by a cookie.
 */
const sharedPaths = /^\/(v1\/|api\/metrics(\?|$))/;
/** How long a browser may remember what it was told, seconds; none remembers longer than two hours. */
const maxAgeS = 7_200;
/** What the code of a page may read of an answer beside its body. */
const exposed = [
  'retry-after',
  'x-request-id',
  'request-id',
  'x-should-retry',
  'x-gateway-provider',
  'x-gateway-model',
  'x-gateway-attempts',
  'x-gateway-warnings',
  'x-gateway-overhead-ms',
  'x-gateway-sandbox',
  'x-tollgate-budget-exceeded',
  'x-tollgate-limit',
  'x-tollgate-own-key',
  'x-tollgate-cache',
  'x-tollgate-cost',
  'x-tollgate-cost-unconfirmed',
  ...['limit', 'remaining', 'reset'].flatMap((what) => [`x-ratelimit-${what}-requests`, `x-ratelimit-${what}-tokens`]),
].join(', ');

/**
 * What lets pages of the configured origins read the answer to a request. `origin`: as the request says it;
 * null: the address is none for them, or there are no such origins.
 * https://fetch.spec.whatwg.org/#http-cors-protocol
 */
export function corsHeaders(
  url: string,
  origin: string | undefined,
  origins: readonly string[],
): Record<string, string> | null {
  if (origins.length === 0 || !sharedPaths.test(url)) return null;
  const any = origins.includes('*');
  const vary: Record<string, string> = any ? {} : { vary: 'origin' };
  if (origin === undefined || !(any || origins.includes(origin))) return vary;
  return { ...vary, 'access-control-allow-origin': any ? '*' : origin, 'access-control-expose-headers': exposed };
}

/**
 * Answers what browsers ask before a page calls what goes by keys. Without any origin it does nothing. Call
 * it after the hooks that make contexts.
 */
export function addCors(app: NestFastifyApplication): void {
  const { corsOrigins } = app.get(Settings);
  if (corsOrigins.length === 0) return;
  const fastify = app.getHttpAdapter().getInstance();
  fastify.addHook('onRequest', (request, reply, done) => {
    const { origin } = request.headers;
    if (!sharedPaths.test(request.url) || !isPreflight(request)) return done();
    const allow = corsHeaders(request.url, origin, corsOrigins)?.['access-control-allow-origin']
      ? {
          'access-control-allow-methods': 'GET, HEAD, POST, DELETE',
          'access-control-allow-headers': request.headers['access-control-request-headers'] ?? '*',
          'access-control-max-age': String(maxAgeS),
        }
      : {};
    void reply.status(204).headers(allow).send();
  });
}

function isPreflight({ method, headers }: FastifyRequest): boolean {
  return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
}
