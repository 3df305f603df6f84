import { natsCredentials, readEnvironment } from '@tollgate/configuration';
import { natsAddress } from '@tollgate/messaging';
import type { NatsAddress } from '@tollgate/messaging';
import { z } from 'zod';

const environmentSchema = z.object({
  NATS_URL: z.string({ error: 'is required: the address of the NATS server, such as nats://127.0.0.1:4222' }),
  ...natsCredentials,
  DATABASE_URL: z.string({
    error: 'is required: the address of the database, such as postgresql://user@host:5432/tollgate',
  }),
  TOLLGATE_CONFIG: z.string().optional(),
  LOG_LEVEL: z.string().default('info'),
  INTERNAL_HOST: z.string().default('127.0.0.1'),
  INTERNAL_PORT: z.coerce.number().int().min(0).max(65_535).default(9102),
});

/** How the catalog runs. `configurationFile` undefined: the catalog is the seed alone. */
export interface CatalogSettings {
  nats: NatsAddress;
  databaseUrl: string;
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
  const values = readEnvironment(environmentSchema, environment);
  return {
    nats: natsAddress(values),
    databaseUrl: values.DATABASE_URL,
    configurationFile: values.TOLLGATE_CONFIG,
    logLevel: values.LOG_LEVEL,
    internalHost: values.INTERNAL_HOST,
    internalPort: values.INTERNAL_PORT,
  };
}
