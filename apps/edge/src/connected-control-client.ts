import { Injectable } from '@nestjs/common';
import { ControlError } from '@tollgate/contracts';
import type { Operation } from '@tollgate/contracts';
import { type CallPatience, ControlClient } from '@tollgate/messaging';
import type { z } from 'zod';
import { MessagingLink } from './messaging-link';

/**
 * Asks the control services, and says that they are away as soon as NATS is, also while an answer is awaited,
 * so that no request waits longer for nothing.
 */
@Injectable()
export class ConnectedControlClient extends ControlClient {
  constructor(private readonly link: MessagingLink) {
    super(link.connection);
  }

  override async call<Request extends z.ZodType, Reply extends z.ZodType>(
    operation: Operation<Request, Reply>,
    request: z.input<Request>,
    options: CallPatience = {},
  ): Promise<z.output<Reply>> {
    if (!this.link.isUp) throw natsAway();
    const answer = super.call(operation, request, options);
    return new Promise((resolve, reject) => {
      const over = this.link.onceAway(() => reject(natsAway()));
      void answer.then(resolve, reject).finally(over);
    });
  }
}

function natsAway(): ControlError {
  return new ControlError('unavailable', 'NATS is away.');
}
