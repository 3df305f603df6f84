import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { IncomingMessage, RequestListener } from 'node:http';
import { AllowedMethods } from '../errors/allowed-methods';
import { RequestContexts } from '../http/request-context';
import { lacksHost, refuseWithoutHost } from '../http/server-options';
import { usualAddress } from '../http/usual-address';
import { GenerationEndpoint } from './generation-endpoint';
import { operations } from './operations';
import type { Operation } from './operations';

const byPath = new Map(operations.map((operation) => [operation.path, operation]));

/**
 * Hands every generation request from Node's server to its endpoint, and everything else to the framework,
 * which takes 60 µs for a request and does nothing for these: they are routed here, read and answered by the
 * endpoint (docs/performance.md). An address of another gateway is read as the one here, for all of them.
 * Call it before the server listens.
 */
export function addGenerationRoutes(app: NestFastifyApplication): void {
  const server = app.getHttpServer();
  const endpoint = app.get(GenerationEndpoint);
  const contexts = app.get(RequestContexts);
  const methods = app.get(AllowedMethods);
  for (const { path } of operations) methods.add(path, 'POST');
  const others = server.listeners('request') as RequestListener[];
  server.removeAllListeners('request');
  server.on('request', (message, response) => {
    message.url = usualAddress(message);
    if (lacksHost(message)) return refuseWithoutHost(message, response, plainPath(message.url));
    const operation = operationOf(message);
    if (operation) void endpoint.handle(operation, message, response, contexts.begin(message));
    else for (const other of others) other.call(server, message, response);
  });
}

/** What a request asks for by its method and address, however that is written; undefined: no generation. */
export function operationOf({ method, url = '' }: Pick<IncomingMessage, 'method' | 'url'>): Operation | undefined {
  if (method !== 'POST') return undefined;
  return byPath.get(url) ?? byPath.get(plainPath(url));
}

/**
 * The path of an address that may be whole (https://www.rfc-editor.org/rfc/rfc9112#name-absolute-form), have
 * a query, or be percent-encoded; empty for one that cannot be decoded.
 */
export function plainPath(url: string): string {
  const [path = ''] = url.replace(/^https?:\/\/[^/]*/, '').split(/[?#]/, 1);
  try {
    return decodeURI(path);
  } catch {
    return '';
  }
}
