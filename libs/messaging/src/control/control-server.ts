import { ServerNats } from '@nestjs/microservices';
import type { CustomStrategy, NatsContext } from '@nestjs/microservices';
import type { Msg, NatsConnection } from 'nats';
import { connectionOptions } from '../connection/connect-to-nats';
import type { NatsAddress } from '../connection/nats-address';
import { connect } from '../connection/single-transport';
import { respondSealed } from '../sealing/sealing';

/** Nest's NATS transport over a connection of ours. */
class ControlServer extends ServerNats {
  constructor(
    private readonly service: string,
    private readonly address: NatsAddress,
  ) {
    super({ queue: service, gracefulShutdown: true, gracePeriod: 500 });
  }

  /** Whatever is answered is sealed for the one that asked. */
  override getPublisher(question: Msg, id: string, context: NatsContext): ReturnType<ServerNats['getPublisher']> {
    const respond = (reply: Uint8Array): boolean => respondSealed(question, reply);
    return super.getPublisher({ reply: question.reply, respond }, id, context);
  }

  override createNatsClient(): Promise<NatsConnection> {
    return connect({ ...connectionOptions(this.address, this.service), waitOnFirstConnect: true });
  }
}

/**
 * How a control service listens: replicas share the queue group `service`. At a stop it leaves the group and gives running requests half a
 * second.
 */
export function controlServerOptions(service: string, address: NatsAddress): CustomStrategy {
  return { strategy: new ControlServer(service, address) };
}
