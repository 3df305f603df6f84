import { ControlError } from '@tollgate/contracts';
import type { Operation } from '@tollgate/contracts';
import type { NatsConnection, Subscription } from 'nats';
import { z } from 'zod';

const packet = z.object({ id: z.string(), data: z.unknown() });

/**
 * Answers a control operation over a real NATS connection as a service would, in Nest's packet form. A
 * ControlError that `answer` throws becomes a refusal.
 */
export function respond<Request extends z.ZodType, Reply extends z.ZodType>(
  connection: NatsConnection,
  operation: Operation<Request, Reply>,
  answer: (request: z.output<Request>) => z.input<Reply> | Promise<z.input<Reply>>,
): Subscription {
  return connection.subscribe(operation.subject, {
    callback: (_error, message) => {
      void (async () => {
        const { id, data } = packet.parse(message.json());
        const reply = await Promise.resolve()
          .then(() => answer(operation.request.parse(data)))
          .then(
            (response) => ({ id, response, isDisposed: true }),
            (error: unknown) => ({ id, err: refusal(error), isDisposed: true }),
          );
        message.respond(JSON.stringify(reply));
      })();
    },
  });
}

function refusal(error: unknown): { code: string; message: string } {
  if (error instanceof ControlError) return { code: error.code, message: error.message };
  return { code: 'internal', message: String(error) };
}
