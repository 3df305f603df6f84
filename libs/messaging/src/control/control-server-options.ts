import { Transport } from '@nestjs/microservices';
import type { NatsOptions } from '@nestjs/microservices';
import { connectionOptions } from '../connection/connect-to-nats';
import type { NatsAddress } from '../connection/nats-address';

/**
 * How a control service listens: Nest's NATS transport, replicas sharing the queue group `service`. At a stop it leaves the group and gives
 * running requests half a second.
 */
export function controlServerOptions(service: string, address: NatsAddress): NatsOptions {
  return {
    transport: Transport.NATS,
    options: {
      ...connectionOptions(address, service),
      queue: service,
      waitOnFirstConnect: true,
      gracefulShutdown: true,
      gracePeriod: 500,
    },
  };
}
