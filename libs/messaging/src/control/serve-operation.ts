import { ControlError } from '@tollgate/contracts';
import type { Operation } from '@tollgate/contracts';
import type { Logger } from '@tollgate/observability';
import type { NatsConnection } from 'nats';
import { z } from 'zod';
import type { NoticeSubscription } from '../notices';
import { respondSealed } from '../sealing';

const packet = z.object({ id: z.string(), data: z.unknown() });

/**
 * Serves an operation over a connection that a service has anyway, where it is no Nest microservice; replicas
 * share the queue group `service`. A ControlError that `answer`
 * throws reaches the caller as it is; anything else is logged and reaches the caller as `internal`.
 */
export function serveOperation<Request extends z.ZodType, Reply extends z.ZodType>(
  connection: NatsConnection,
  service: string,
  operation: Operation<Request, Reply>,
  answer: (request: z.output<Request>) => Promise<z.input<Reply>>,
  logger: Logger,
): NoticeSubscription {
  const reply = async (text: string): Promise<object> => {
    const { id, data } = packet.parse(JSON.parse(text));
    try {
      return { id, response: await answer(operation.request.parse(data)), isDisposed: true };
    } catch (error) {
      if (!(error instanceof ControlError)) logger.error({ err: error }, `${operation.subject} failed`);
      return { id, err: refusal(error), isDisposed: true };
    }
  };
  return connection.subscribe(operation.subject, {
    queue: service,
    callback: (failure, message) => {
      if (failure) return logger.error({ err: failure }, `${operation.subject} is not served`);
      reply(message.string()).then(
        (answered) => respondSealed(message, JSON.stringify(answered)),
        (error: unknown) => logger.warn({ err: error }, `${operation.subject} was asked what is no request`),
      );
    },
  });
}

function refusal(error: unknown): { code: string; message: string } {
  if (error instanceof ControlError) return { code: error.code, message: error.message };
  if (error instanceof z.ZodError) return { code: 'invalid', message: z.prettifyError(error) };
  return { code: 'internal', message: 'The service failed; its log says why.' };
}
