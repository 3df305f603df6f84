import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Settings } from '../settings';

/** What a browser is shown where the dashboard's files are missing. */
const notBuilt = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Tollgate</title>
<h1>Tollgate runs, without its dashboard</h1>
<p>The dashboard has not been built. <code>npx nx build dashboard</code> builds it; then load this page again.</p>
<p>The API works: <a href="/openapi.json">its description</a>.</p>
</html>
`;

/**
 * Nothing but our own files, and the scripts in the page as it was built, runs in it, and no page of others
 * shows ours. Style attributes are set by components for positions, and by charts.
 * https://developer.mozilla.org/docs/Web/HTTP/Guides/CSP
 */
const policyOf = (page: string): string =>
  [
    "default-src 'self'",
    ["script-src 'self'", ...inlineScripts(page)].join(' '),
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "connect-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');

/** The scripts in a page, each by its hash: no other may stand there. */
const inlineScripts = (page: string): string[] =>
  [...page.matchAll(/<script>([\s\S]*?)<\/script>/g)].map(
    ([, script = '']) => `'sha256-${createHash('sha256').update(script).digest('base64')}'`,
  );

const headersOf = (page: string) => ({
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': policyOf(page),
  'cache-control': 'no-cache',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
});

/** Addresses that are never a page, whatever a browser hopes for. */
const notPages = /^\/(v1|api|assets|openapi\.json|livez|readyz)(\/|$)/;

/**
 * Serves the dashboard's files: /assets, which carry a hash in their names, for a year; and for every address
 * that is nothing else, the one page, which finds out by itself what to show there.
 */
export function servePages(app: NestFastifyApplication): void {
  const { dashboardFolder } = app.get(Settings);
  const fastify = app.getHttpAdapter().getInstance();
  void fastify.register(fastifyStatic, {
    root: join(dashboardFolder, 'assets'),
    prefix: '/assets/',
    decorateReply: false,
    index: false,
    immutable: true,
    maxAge: '1y',
    preCompressed: true,
  });
  fastify.addHook('onRequest', (request, reply, done) => {
    const [path = '/'] = request.url.split('?');
    const reads = request.method === 'GET' || request.method === 'HEAD';
    if (!request.is404 || !reads || notPages.test(path)) return done();
    if (path === '/' || wantsPage(request)) void sendPage(dashboardFolder, reply);
    else done();
  });
}

/** Programs do not ask for HTML: they go on to get a 404 in JSON. */
function wantsPage({ headers }: FastifyRequest): boolean {
  return headers.accept?.includes('text/html') === true;
}

async function sendPage(folder: string, reply: FastifyReply): Promise<void> {
  const built = await readFile(join(folder, 'index.html'), 'utf8').catch(() => null);
  const page = built ?? notBuilt;
  await reply
    .status(built === null ? 404 : 200)
    .headers(headersOf(page))
    .send(page);
}
