import { ControlError } from '@tollgate/contracts';
import type { Operation } from '@tollgate/contracts';
import { Logger } from '@nestjs/common';
import { MessagePattern, RpcException } from '@nestjs/microservices';
import type { z } from 'zod';

type Handler<Request extends z.ZodType, Reply extends z.ZodType> = (
  request: z.output<Request>,
) => Promise<z.input<Reply>> | z.input<Reply>;

/**
 * Makes a controller method the server of an operation. It gets the parsed request; a request that does not
 * parse is refused as `invalid`, naming the fields.
 * A ControlError that it throws reaches the caller as it is; anything else is logged and reaches the caller
 * as `internal`, without detail.
 */
export function Serve<Request extends z.ZodType, Reply extends z.ZodType>(operation: Operation<Request, Reply>) {
  const logger = new Logger(operation.subject);
  return <Method extends Handler<Request, Reply>>(
    target: object,
    name: string,
    descriptor: TypedPropertyDescriptor<Method>,
  ): void => {
    const handle = descriptor.value;
    if (!handle) throw new TypeError(`@Serve(${operation.subject}) belongs on a method.`);
    const serve = async function (this: object, data: unknown): Promise<z.input<Reply>> {
      try {
        return await handle.call(this, parseRequest(operation.request, data));
      } catch (error) {
        throw new RpcException(refusal(error, logger));
      }
    };
    Object.assign(descriptor, { value: serve });
    MessagePattern(operation.subject)(target, name, descriptor);
  };
}

function parseRequest<Request extends z.ZodType>(schema: Request, data: unknown): z.output<Request> {
  const result = schema.safeParse(data);
  if (result.success) return result.data;
  const problems = result.error.issues.map((issue) => `${issue.path.join('.') || 'request'}: ${issue.message}`);
  throw new ControlError('invalid', problems.join('; '));
}

function refusal(error: unknown, logger: Logger): { code: string; message: string } {
  if (error instanceof ControlError) return { code: error.code, message: error.message };
  logger.error(error instanceof Error ? (error.stack ?? error.message) : String(error));
  return { code: 'internal', message: 'The service failed; its log says why.' };
}
