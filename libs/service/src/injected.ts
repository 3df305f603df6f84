import type { DynamicModule } from '@nestjs/common';
import type { Logger } from '@tollgate/observability';
import type { NatsConnection } from 'nats';

/** What constructors ask for with `@Inject(…)`: neither a logger nor a connection to NATS is a class. */
export const LOGGER = Symbol('logger');
export const NATS = Symbol('connection to NATS');

class Injected {}

/** What every class of a service can ask for: LOGGER, NATS, and each of `given` by its class. */
export function injected(logger: Logger, connection: NatsConnection, given: readonly object[]): DynamicModule {
  const providers = [
    { provide: LOGGER, useValue: logger },
    { provide: NATS, useValue: connection },
    ...given.map((value) => ({ provide: value.constructor, useValue: value })),
  ];
  return { module: Injected, global: true, providers, exports: providers };
}
