import { Injectable } from '@nestjs/common';
import { ControlError } from '@tollgate/contracts';
import type { Operation } from '@tollgate/contracts';
import { type CallPatience, ControlClient } from '@tollgate/messaging';
import type { z } from 'zod';
import { MessagingLink } from './messaging-link';

/** The connection to NATS is lost, and not only late: whoever asks again hears the same. */
export class NatsLostError extends ControlError {
  constructor() {
    super('unavailable', 'NATS is away.');
  }
}

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
    if (!this.link.isUp) throw this.natsAway();
    const answer = super.call(operation, request, options);
    return new Promise((resolve, reject) => {
      const over = this.link.onceAway(() => reject(this.natsAway()));
      void answer.then(resolve, reject).finally(over);
    });
  }

  private natsAway(): ControlError {
    return this.link.isLost ? new NatsLostError() : new ControlError('unavailable', 'NATS is silent.');
  }
}
