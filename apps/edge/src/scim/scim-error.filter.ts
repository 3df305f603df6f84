import { Catch, Inject, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import { ControlError } from '@tollgate/contracts';
import type { Logger } from '@tollgate/observability';
import { LOGGER } from '@tollgate/service';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { errorHeaders } from '../errors/error-reply';
import { internalError, toGatewayError } from '../errors/to-gateway-error';
import { CallerLeft } from '../generation/caller-left';
import { contextOf } from '../http/request-context';
import { ScimError, scimErrorBody } from './scim-error';
import { scimType } from './scim-type';

/** Tells directories what went wrong in their own words. */
@Catch()
export class ScimErrorFilter implements ExceptionFilter {
  constructor(@Inject(LOGGER) private readonly logger: Logger) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const reply = http.getResponse<FastifyReply>();
    if (thrown instanceof CallerLeft) return void reply.hijack();
    const known = asScimError(thrown);
    if (known) return send(reply, known.status, scimErrorBody(known.status, known.message, known.scimType));
    const error = toGatewayError(thrown) ?? this.fault(thrown, http.getRequest<FastifyRequest>());
    send(reply.headers(errorHeaders(error)), error.status, scimErrorBody(error.status, error.message, null));
  }

  private fault(thrown: unknown, { raw }: FastifyRequest) {
    this.logger.error({ err: thrown, requestId: contextOf(raw)?.requestId }, 'a request of a directory failed');
    return internalError();
  }
}

/** Null: it is told as any error of the gateway is. */
function asScimError(thrown: unknown): ScimError | null {
  if (thrown instanceof ScimError) return thrown;
  if (thrown instanceof ControlError && thrown.code === 'conflict')
    return new ScimError(409, thrown.message, 'uniqueness');
  return null;
}

function send(reply: FastifyReply, status: number, body: object): void {
  void reply.status(status).type(scimType).send(JSON.stringify(body));
}
