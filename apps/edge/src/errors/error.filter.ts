import { Catch, Inject, Injectable, NotFoundException } from '@nestjs/common';
import type { ArgumentsHost, ExceptionFilter } from '@nestjs/common';
import { GatewayError } from '@tollgate/contracts';
import { anthropicMessagesSurface, surfaceAt } from '@tollgate/dialects/surface';
import type { Logger } from '@tollgate/observability';
import { LOGGER } from '@tollgate/service';
import type { IncomingMessage } from 'node:http';
import { CallerLeft } from '../generation/caller-left';
import { contextOf } from '../http/request-context';
import { Refusals } from './refusals';
import { scimErrorBody, scimType } from '../scim/scim-error';
import { AllowedMethods } from './allowed-methods';
import { errorHeaders, errorText } from './error-reply';
import { errorToTell } from './to-gateway-error';

interface HttpRequest {
  raw: IncomingMessage;
  method: string;
  url: string;
}

interface HttpReply {
  status(code: number): HttpReply;
  headers(headers: Record<string, string>): HttpReply;
  send(text: string): void;
  hijack(): void;
}

/** Gives every failure of the controllers, the guards and Fastify itself the one error shape. */
@Injectable()
@Catch()
export class ErrorFilter implements ExceptionFilter {
  constructor(
    private readonly methods: AllowedMethods,
    private readonly refusals: Refusals,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    // Nobody is there to be told.
    if (thrown instanceof CallerLeft) return http.getResponse<HttpReply>().hijack();
    const request = http.getRequest<HttpRequest>();
    const [path = ''] = request.url.split('?');
    const allow = this.methods.of(path);
    const error = this.toError(thrown, request, allow);
    const context = contextOf(request.raw);
    if (context && isPublic(path)) this.refusals.note(error, path, context);
    const reply = http.getResponse<HttpReply>().status(error.status).headers(errorHeaders(error, { allow }));
    if (path.startsWith('/scim/'))
      return reply
        .headers({ 'content-type': scimType })
        .send(JSON.stringify(scimErrorBody(error.status, error.message, null)));
    const spokenAt = readsAnthropic(path, request.raw) ? anthropicMessagesSurface.path : path;
    reply.send(errorText(error, spokenAt, context?.requestId ?? ''));
  }

  private toError(thrown: unknown, request: HttpRequest, allow: readonly string[]): GatewayError {
    // A file that is not in a folder of files is not found by the right method.
    if (thrown instanceof NotFoundException && allow.length > 0 && !allow.includes(request.method))
      return wrongMethod(request, allow);
    return errorToTell(thrown, this.logger, contextOf(request.raw)?.requestId, 'a request failed');
  }
}

/**
 * Clients that would rather have a WebSocket go on without where it is refused by 426, and by nothing else:
 * https://github.com/openai/codex/issues/43353 https://github.com/experientiallabs/experiential/pull/706
 */
function wrongMethod({ method, raw }: HttpRequest, allow: readonly string[]): GatewayError {
  const taken = allow.join(', ');
  return raw.headers.upgrade?.toLowerCase() === 'websocket'
    ? new GatewayError(426, `This address speaks no WebSocket. Send ${taken}; streams come as server-sent events.`)
    : new GatewayError(405, `This address takes ${taken}, not ${method}.`);
}

/** What callers with keys ask; pages have their own ways to tell. */
function isPublic(path: string): boolean {
  return path.startsWith('/v1/') || path === '/api/metrics';
}

/**
 * Where no dialect is spoken (the list of models, an address at which there is nothing), who says a version
 * of Anthropic's reads errors in its shape.
 * https://platform.claude.com/docs/en/api/versioning
 */
function readsAnthropic(path: string, { headers }: IncomingMessage): boolean {
  return surfaceAt(path) === null && headers['anthropic-version'] !== undefined;
}
