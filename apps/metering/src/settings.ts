import { readEnvironment, serviceVariables } from '@tollgate/configuration';
import { natsAddress } from '@tollgate/messaging';
import type { NatsAddress } from '@tollgate/messaging';

/** How this instance runs. `retentionMonths` null: usage events are kept for ever. `copies`: of the streams in JetStream; null: as its cluster is. */
export interface MeteringSettings {
  nats: NatsAddress;
  databaseUrl: string;
  /** Of the server itself, where `databaseUrl` leads to a pooler; null: `databaseUrl` is the server's. */
  directDatabaseUrl: string | null;
  retentionMonths: number | null;
  copies: number | null;
  logLevel: string;
  internalHost: string;
  internalPort: number;
}

/**
 * Reads the settings from environment variables.
 * @throws EnvironmentError naming every variable at fault.
 */
export function readSettings(environment: NodeJS.ProcessEnv = process.env): MeteringSettings {
  const values = readEnvironment(serviceVariables.metering, environment);
  return {
    nats: natsAddress(values),
    databaseUrl: values.DATABASE_URL,
    directDatabaseUrl: values.DATABASE_DIRECT_URL ?? null,
    retentionMonths: values.METERING_RETENTION_MONTHS,
    copies: values.NATS_REPLICAS,
    logLevel: values.LOG_LEVEL,
    internalHost: values.INTERNAL_HOST,
    internalPort: values.INTERNAL_PORT,
  };
}
