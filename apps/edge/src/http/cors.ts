import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyRequest } from 'fastify';
import { Settings } from '../settings';
import { requireContext } from './request-contexts';

/** Only what is called with a key may be called from other origins: the dashboard's own API goes by a cookie. */
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
  'x-tollgate-limit',
  'x-tollgate-cache',
  'x-tollgate-cost',
  ...['limit', 'remaining', 'reset'].flatMap((what) => [`x-ratelimit-${what}-requests`, `x-ratelimit-${what}-tokens`]),
].join(', ');

/**
 * Lets pages of the configured origins call what goes by keys, and answers what browsers ask before they do. Without any origin it does nothing.
 * Call it after the hooks that make contexts. https://fetch.spec.whatwg.org/#http-cors-protocol
 */
export function addCors(app: NestFastifyApplication): void {
  const { corsOrigins } = app.get(Settings);
  if (corsOrigins.length === 0) return;
  const any = corsOrigins.includes('*');
  const fastify = app.getHttpAdapter().getInstance();
  fastify.addHook('onRequest', (request, reply, done) => {
    const { origin } = request.headers;
    if (!sharedPaths.test(request.url)) return done();
    const isAllowed = origin !== undefined && (any || corsOrigins.includes(origin));
    const headers: Record<string, string> = any ? {} : { vary: 'origin' };
    if (isAllowed) Object.assign(headers, { 'access-control-allow-origin': any ? '*' : origin });
    requireContext(request.raw).corsHeaders = isAllowed
      ? { ...headers, 'access-control-expose-headers': exposed }
      : headers;
    if (!isPreflight(request)) return done();
    const allow = isAllowed
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
