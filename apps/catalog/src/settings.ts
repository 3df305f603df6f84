import { readEnvironment, serviceVariables } from '@tollgate/configuration';
import { natsAddress } from '@tollgate/messaging';
import type { NatsAddress } from '@tollgate/messaging';

/** How the catalog runs. `configurationFile` undefined: the catalog is the seed alone. */
export interface CatalogSettings {
  nats: NatsAddress;
  databaseUrl: string;
  /** Of the server itself, where `databaseUrl` leads to a pooler; null: `databaseUrl` is the server's. */
  directDatabaseUrl: string | null;
  configurationFile: string | undefined;
  logLevel: string;
  internalHost: string;
  internalPort: number;
}

/**
 * Reads the settings from environment variables.
 * @throws EnvironmentError naming every variable at fault.
 */
export function readSettings(environment: NodeJS.ProcessEnv = process.env): CatalogSettings {
  const values = readEnvironment(serviceVariables.catalog, environment);
  return {
    nats: natsAddress(values),
    databaseUrl: values.DATABASE_URL,
    directDatabaseUrl: values.DATABASE_DIRECT_URL ?? null,
    configurationFile: values.TOLLGATE_CONFIG,
    logLevel: values.LOG_LEVEL,
    internalHost: values.INTERNAL_HOST,
    internalPort: values.INTERNAL_PORT,
  };
}
