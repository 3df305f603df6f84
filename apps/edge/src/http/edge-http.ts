import type { IncomingMessage } from 'node:http';
import type { DynamicModule, NestApplicationOptions } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply } from 'fastify';
import type { HttpListener } from '@tollgate/service';
import { GatewayError } from '@tollgate/contracts';
import { servePages } from '../dashboard/serve-pages';
import { serveDashboardApi } from '../dashboard/serve-dashboard-api';
import { ErrorFilter } from '../errors/error.filter';
import { addGenerationRoutes } from '../generation/generation-routes';
import { addOpenApi } from '../openapi/openapi-document';
import { ResponsesSockets } from '../responses/socket/responses-sockets';
import type { Settings } from '../settings';
import { addCors } from './cors';
import { serverOptions } from './server-options';
import { takeUpgrades } from './upgrades';
import { Admission } from '../admission/admission';
import { presentedKey } from '../callers/authenticator';
import { AllowedMethods } from '../errors/allowed-methods';
import { EdgeMetrics } from '../edge-metrics';
import { inPieces } from './in-pieces';
import { type RequestContext, contextOf, RequestContexts, setContext, ResponseHeaders } from './request-context';
import { hasLargeBody, takeUnread } from './unread-bodies';

/**
 * Edge's HTTP server, with every route on it. Hooks of requests come first: Fastify gives them to the routes
 * that are added later only.
 */
export async function edgeHttp(
  root: DynamicModule,
  options: NestApplicationOptions,
  settings: Settings,
): Promise<HttpListener> {
  const adapter = new FastifyAdapter(serverOptions(settings));
  const app = await NestFactory.create<NestFastifyApplication>(root, adapter, { ...options, bodyParser: false });
  addRequestHooks(app);
  addCors(app);
  app.useGlobalFilters(app.get(ErrorFilter));
  addGenerationRoutes(app);
  const sockets = app.get(ResponsesSockets);
  takeUpgrades(app.getHttpServer(), settings.tls !== null, (...asked) => sockets.take(...asked));
  serveDashboardApi(app);
  servePages(app);
  if (settings.docs) addOpenApi(app);
  return { app, listen: () => app.listen(settings.port, settings.host) };
}

const policy = 'content-security-policy';

/**
 * Registers what happens around every request: its context, the headers that every answer carries, its
 * metrics, and no reading of bodies.
 */
function addRequestHooks(app: NestFastifyApplication): void {
  const fastify = app.getHttpAdapter().getInstance();
  const admission = app.get(Admission);
  const contexts = app.get(RequestContexts);
  const metrics = app.get(EdgeMetrics);
  const methods = app.get(AllowedMethods);
  const headers = app.get(ResponseHeaders);

  // Only the generation endpoints take bodies, and they read them by themselves, after the caller is known.
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('*', (_request, _body, done) => done(null));

  fastify.addHook('onRoute', ({ path, method }) => methods.add(path, method));
  fastify.addHook('onRequest', (request, _reply, done) => {
    const context = contexts.begin(request.raw);
    setContext(request.raw, context);
    if (request.is404) void countUnknown(admission, request.raw, context).then(done);
    else done();
  });
  fastify.addHook('onSend', (request, reply, payload, done) => {
    const context = contextOf(request.raw);
    // Before the answer ends, as Node would take what nobody has read then, all at once.
    if (hasLargeBody(request.raw) && request.raw.listenerCount('data') === 0) takeUnread(request.raw);
    context?.dispatched();
    if (context) void reply.headers(withOwnPolicy(headers.of(context, reply.raw), reply));
    done(null, inPieces(payload, reply));
  });
  fastify.addHook('onResponse', (request, reply, done) => {
    const context = contextOf(request.raw);
    const route = request.routeOptions.url ?? 'unknown';
    if (context && !context.isCountedApart)
      metrics.answered(route, reply.statusCode, context.elapsedMs(), context.overheadMs());
    done();
  });
}

/** A page keeps the policy that it was sent with. */
function withOwnPolicy(headers: Record<string, string>, reply: FastifyReply): Record<string, string> {
  const own = reply.getHeader(policy);
  return typeof own === 'string' ? { ...headers, [policy]: own } : headers;
}

/**
 * A request to an address that does not exist counts too when it carries a valid key. Resolves with the 429
 * that it then may get.
 */
async function countUnknown(
  admission: Admission,
  request: IncomingMessage,
  context: RequestContext,
): Promise<Error | undefined> {
  if (presentedKey(request.headers) === null) return undefined;
  try {
    await admission.admit(request.headers, context);
    return undefined;
  } catch (error) {
    // Any other fault of the key is less to the point than that there is nothing here.
    return error instanceof GatewayError && error.status === 429 ? error : undefined;
  }
}
