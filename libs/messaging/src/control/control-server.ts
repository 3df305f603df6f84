import { ServerNats } from '@nestjs/microservices';
import type { CustomStrategy, NatsContext } from '@nestjs/microservices';
import type { Msg, NatsConnection, Subscription, SubscriptionOptions } from 'nats';
import { respondSealed } from '../sealing';

/** Nest's NATS transport over a connection of ours. */
class ControlServer extends ServerNats {
  constructor(
    service: string,
    private readonly connection: NatsConnection,
  ) {
    super({ queue: service, gracefulShutdown: true, gracePeriod: 500 });
  }

  /** Whatever is answered is sealed for the one that asked. */
  override getPublisher(question: Msg, id: string, context: NatsContext): ReturnType<ServerNats['getPublisher']> {
    const respond = (reply: Uint8Array): boolean => respondSealed(question, reply);
    return super.getPublisher({ reply: question.reply, respond }, id, context);
  }

  /**
   * The service's own connection, which outlives its operations: Nest must not close it. Where Nest would
   * drop the questions that are on their way here, they are answered first.
   */
  override createNatsClient(): Promise<NatsConnection> {
    const { connection } = this;
    const subscribe = (subject: string, options: SubscriptionOptions): Subscription => {
      const subscription = connection.subscribe(subject, options);
      // A connection that was closed meanwhile brings no more questions.
      const unsubscribe = (): void => void subscription.drain().catch(() => undefined);
      return Object.create(subscription, { unsubscribe: { value: unsubscribe } }) as Subscription;
    };
    const lent = { close: { value: () => Promise.resolve() }, subscribe: { value: subscribe } };
    return Promise.resolve(Object.create(connection, lent) as NatsConnection);
  }
}

/**
 * How a service listens on its connection: replicas share the queue group `service`. At a stop it leaves the
 * group, takes what is on its way here, and gives running requests half a second.
 */
export function controlServerOptions(service: string, connection: NatsConnection): CustomStrategy {
  return { strategy: new ControlServer(service, connection) };
}
