import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { IncomingMessage, RequestListener } from 'node:http';
import { Clock } from '../clock';
import { beginContext } from '../http/request-context';
import { requireContext } from '../http/request-contexts';
import { Settings } from '../settings';
import { GenerationEndpoint } from './generation-endpoint';
import { operations } from './operations';

/** Registers the endpoint of every operation. They answer on Node's own response: see GenerationEndpoint. */
export function addGenerationRoutes(app: NestFastifyApplication): void {
  const fastify = app.getHttpAdapter().getInstance();
  const endpoint = app.get(GenerationEndpoint);
  for (const operation of operations) {
    fastify.post(operation.path, (request, reply) => {
      void reply.hijack();
      void endpoint.handle(operation, request.raw, reply.raw, requireContext(request.raw));
    });
  }
  // Answers to pages of other origins need more headers, which a hook finds out.
  if (app.get(Settings).corsOrigins.length === 0) shortenWay(app, endpoint);
}

/** Hands requests of the usual form straight to the endpoint: what the framework does for each (routing, hooks, choice of a parser) changes nothing of them. All others, to the same addresses too, go its way. */
function shortenWay(app: NestFastifyApplication, endpoint: GenerationEndpoint): void {
  const server = app.getHttpServer();
  const clock = app.get(Clock);
  const protocol = app.get(Settings).tls ? 'https' : 'http';
  const byPath = new Map(operations.map((operation) => [operation.path, operation]));
  const others = server.listeners('request') as RequestListener[];
  server.removeAllListeners('request');
  server.on('request', (message, response) => {
    const operation = isUsual(message) ? byPath.get(message.url ?? '') : undefined;
    if (operation) void endpoint.handle(operation, message, response, beginContext(message.headers, protocol, clock));
    else for (const other of others) other.call(server, message, response);
  });
}

/** What a proxy says of the caller is the framework's to judge. */
function isUsual({ method, headers }: IncomingMessage): boolean {
  return method === 'POST' && headers['content-type'] === 'application/json' && !headers['x-forwarded-proto'];
}
