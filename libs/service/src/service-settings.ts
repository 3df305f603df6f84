import { natsAddress } from '@tollgate/messaging';
import type { NatsAddress } from '@tollgate/messaging';

/** What every service reads of its environment, parsed (serviceVariables of configuration). */
type ServiceValues = Parameters<typeof natsAddress>[0] & {
  LOG_LEVEL: string;
  INTERNAL_HOST: string;
  INTERNAL_PORT: number;
  DATABASE_URL?: string | undefined;
  DATABASE_DIRECT_URL?: string | undefined;
};

/**
 * How an instance of any service runs; each service adds its own. The class itself is what constructors ask
 * for.
 */
export abstract class ServiceSettings {
  readonly nats: NatsAddress;
  readonly logLevel: string;
  /** Where health and metrics are; port 0 picks a free one. */
  readonly internalHost: string;
  readonly internalPort: number;
  /** Empty where a service has no tables. */
  readonly databaseUrl: string;
  /** Of the server itself, where `databaseUrl` leads to a pooler; null: `databaseUrl` is the server's. */
  readonly directDatabaseUrl: string | null;

  constructor(values: ServiceValues) {
    this.nats = natsAddress(values);
    this.logLevel = values.LOG_LEVEL;
    this.internalHost = values.INTERNAL_HOST;
    this.internalPort = values.INTERNAL_PORT;
    this.databaseUrl = values.DATABASE_URL ?? '';
    this.directDatabaseUrl = values.DATABASE_DIRECT_URL ?? null;
  }
}
