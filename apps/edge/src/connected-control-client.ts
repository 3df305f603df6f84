import { ControlError } from '@tollgate/contracts';
import type { Operation } from '@tollgate/contracts';
import { ControlClient } from '@tollgate/messaging';
import type { z } from 'zod';
import { MessagingLink } from './messaging-link';

/** Asks the control services, and says at once that they are away while NATS is, so that no request waits for a timeout. */
export class ConnectedControlClient extends ControlClient {
  constructor(private readonly link: MessagingLink) {
    super(link.connection);
  }

  override async call<Request extends z.ZodType, Reply extends z.ZodType>(
    operation: Operation<Request, Reply>,
    request: z.input<Request>,
    options: { timeoutMs?: number } = {},
  ): Promise<z.output<Reply>> {
    if (!this.link.isUp) throw new ControlError('unavailable', 'NATS is away.');
    return super.call(operation, request, options);
  }
}
