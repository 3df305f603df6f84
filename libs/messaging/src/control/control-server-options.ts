import { Transport } from '@nestjs/microservices';
import type { NatsOptions } from '@nestjs/microservices';
import { connectionOptions } from '../connection/connect-to-nats';

/**
 * How a control service listens: Nest's NATS transport, replicas sharing the queue group `service`. At a stop it leaves the group and gives
 * running requests half a second.
 */
export function controlServerOptions(service: string, url: string): NatsOptions {
  return {
    transport: Transport.NATS,
    options: {
      ...connectionOptions(url, service),
      queue: service,
      waitOnFirstConnect: true,
      gracefulShutdown: true,
      gracePeriod: 500,
    },
  };
}
