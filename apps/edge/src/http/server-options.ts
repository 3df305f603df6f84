import type { FastifyAdapter } from '@nestjs/platform-fastify';
import { GatewayError } from '@tollgate/contracts';
import { readFileSync } from 'node:fs';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { errorHeaders, errorText, lastAnswer } from '../errors/error-reply';
import { leavingTurns } from '../generation/in-turns';
import { Settings } from '../settings';
import { keepAliveHeader, keepAliveTimeoutMs } from './keep-alive';
import { requestIdOf, securityHeaders } from './request-context';
import { takeUnread } from './unread-bodies';

/** Slow senders, milliseconds: until a request's headers are here, and until its body is too. */
const headersTimeoutMs = 15_000;
const requestTimeoutMs = 120_000;
/** How often Node looks for requests that are over these times. */
const checkTimeoutsEveryMs = 5_000;

/** How the public server is set up, for Nest's Fastify adapter. */
export function serverOptions(settings: Settings) {
  const times = {
    headersTimeout: headersTimeoutMs,
    requestTimeout: requestTimeoutMs,
    connectionsCheckingInterval: checkTimeoutsEveryMs,
    keepAliveTimeout: keepAliveTimeoutMs,
    // Node's own refusal has no body: see `refuseForHost`.
    requireHostHeader: false,
  };
  return {
    logger: false,
    // No middleware is used, and its layer costs each request.
    skipMiddie: true,
    trustProxy: settings.trustProxy,
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: keepAliveTimeoutMs,
    return503OnClosing: false,
    schemaController: { compilersFactory: { buildValidator: noCompiler, buildSerializer: noCompiler } },
    // HEAD works wherever GET does: https://httpwg.org/specs/rfc9110.html#HEAD
    exposeHeadRoutes: true,
    clientErrorHandler: refuseUnreadable,
    frameworkErrors: refuseAddress,
    ...(settings.tls
      ? { https: { ...times, cert: readFileSync(settings.tls.certFile), key: readFileSync(settings.tls.keyFile) } }
      : { http: times }),
  };
}

/** Requests are read by schemas of zod: Fastify's own compilers, ajv and its like, need not be loaded. */
function noCompiler(): never {
  throw new Error('A route of Fastify has no schema: read the request with one of zod.');
}

type FrameworkErrors = NonNullable<
  Extract<ConstructorParameters<typeof FastifyAdapter>[0], { http: unknown }>['frameworkErrors']
>;

/** Answers an address that Fastify cannot decode; no hook has run for it. */
const refuseAddress: FrameworkErrors = (_error, request, { raw }) => {
  const error = new GatewayError(400, 'The address is malformed: its percent-encoding cannot be decoded.');
  raw.statusCode = error.status;
  const { headers, text } = toldBeforeHooks(error, request.headers, '');
  for (const [name, value] of Object.entries(headers)) raw.setHeader(name, value);
  if ('shouldKeepAlive' in raw && raw.shouldKeepAlive) raw.setHeader('keep-alive', keepAliveHeader);
  raw.end(text);
};

/**
 * Says what is wrong with the host of a request; null where nothing is: HTTP/1.1 has exactly one, and no
 * version more. Node hides a second one, by which a proxy before it may have chosen the way.
 * https://www.rfc-editor.org/rfc/rfc9112#section-3.2
 */
export function hostFault({ httpVersion, headers, rawHeaders }: IncomingMessage): string | null {
  if (headers.host === undefined)
    return httpVersion === '1.1' ? 'The header Host is missing, which every request of HTTP/1.1 must have.' : null;
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts++;
  }
  return hosts > 1 ? 'The header Host is there more than once: a request has one host.' : null;
}

/** Answers a request to `path` whose host is at fault, and ends the connection when its body has come. */
export function refuseForHost(fault: string, message: IncomingMessage, response: ServerResponse, path: string): void {
  const error = new GatewayError(400, fault);
  const { headers, text } = toldBeforeHooks(error, message.headers, path);
  const length = { 'content-length': String(Buffer.byteLength(text)) };
  response.writeHead(error.status, { ...headers, ...length, connection: 'close' }).end(text);
  takeUnread(message);
}

/** What is answered to those for whom no hook has run: `path` says in which dialect. */
function toldBeforeHooks(error: GatewayError, asked: IncomingHttpHeaders, path: string) {
  const requestId = requestIdOf(asked);
  const headers = { ...securityHeaders, ...errorHeaders(error), 'x-request-id': requestId };
  return { headers, text: errorText(error, path, requestId) };
}

/**
 * A socket with the answer that is being given on it, as Node's own handler of these errors reads it:
 * https://github.com/nodejs/node/blob/v20.x/lib/_http_server.js
 */
type ServerSocket = Socket & { _httpMessage?: { headersSent: boolean } | null };

/**
 * Answers bytes that Node cannot read as a request with 400, and those that came too slowly with 408, and
 * closes the connection. Nothing is said on a connection that was opened ahead and never used, as browsers
 * and connection pools do: they would take it for the answer to the request that they send on it next. Nor in
 * the middle of another answer. Who leaves in the middle of a request comes here, too; hundreds may.
 */
export function refuseUnreadable(this: unknown, error: Error & { code?: string }, socket: ServerSocket): void {
  leavingTurns.soon(() => refuseNow(error, socket));
}

function refuseNow(error: Error & { code?: string }, socket: ServerSocket): void {
  const isUnused = socket.bytesRead === 0;
  if (error.code === 'ECONNRESET' || !socket.writable || isUnused || socket._httpMessage?.headersSent) {
    socket.destroy();
    return;
  }
  const refusal =
    error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
      ? new GatewayError(408, 'The request took too long to arrive.')
      : new GatewayError(400, error.code === 'HPE_HEADER_OVERFLOW' ? tooManyHeaders : notHttp);
  const { headers, text } = toldBeforeHooks(refusal, {}, '');
  socket.end(lastAnswer(refusal, text, headers));
}

const tooManyHeaders = 'The request headers are larger than 16 KiB in all, which is the most that is accepted.';
const notHttp = 'This is not a well-formed HTTP/1.1 request.';
