import fastifyStatic from '@fastify/static';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { Settings } from '../../settings';
import { notBuilt } from './not-built';

/**
 * Nothing but our own files runs in a page, and no page of others shows ours. Style attributes are set by
 * components for positions, and by charts.
 * https://developer.mozilla.org/docs/Web/HTTP/Guides/CSP
 */
const pagePolicy = [
  "default-src 'self'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

const pageHeaders = {
  'content-security-policy': pagePolicy,
  'cache-control': 'no-cache',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
};

/** Addresses that are never a page, whatever a browser hopes for. */
const notPages = /^\/(v1|api|assets|openapi\.json|livez|readyz)(\/|$)/;
const contentTypes: Partial<Record<string, string>> = {
  '.svg': 'image/svg+xml',
  '.js': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
};

/**
 * Serves the dashboard's files: /assets, which carry a hash in their names, for a year; the few other files
 * by their names; and for every address that is nothing else, the one page, which finds out by itself what to
 * show there.
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
    const [, fileName] = /^\/([\w-]+\.\w+)$/.exec(path) ?? [];
    if (fileName !== undefined && contentTypes[extname(fileName)] !== undefined)
      void sendFile(join(dashboardFolder, fileName), reply, done);
    else if (path === '/' || wantsPage(request)) void sendPage(dashboardFolder, reply);
    else done();
  });
}

/** Programs do not ask for HTML: they go on to get a 404 in JSON. */
function wantsPage({ headers }: FastifyRequest): boolean {
  return headers.accept?.includes('text/html') === true;
}

async function sendFile(file: string, reply: FastifyReply, otherwise: () => void): Promise<void> {
  const content = await readFile(file).catch(() => null);
  if (content === null) return otherwise();
  const contentType = contentTypes[extname(file)] ?? 'application/octet-stream';
  await reply.headers({ ...pageHeaders, 'content-type': contentType }).send(content);
}

async function sendPage(folder: string, reply: FastifyReply): Promise<void> {
  const page = await readFile(join(folder, 'index.html')).catch(() => null);
  await reply
    .status(page === null ? 404 : 200)
    .headers({ ...pageHeaders, 'content-type': 'text/html; charset=utf-8' })
    .send(page ?? notBuilt);
}
