import { natsCredentials, readEnvironment } from '@tollgate/configuration';
import { natsAddress } from '@tollgate/messaging';
import type { NatsAddress } from '@tollgate/messaging';
import { z } from 'zod';

const required = (what: string) => z.string({ error: `is required: ${what}` });

const environmentSchema = z.object({
  NATS_URL: required('the address of the NATS server, such as nats://127.0.0.1:4222'),
  ...natsCredentials,
  DATABASE_URL: required('the address of the Postgres database, such as postgresql://user@host:5432/tollgate'),
  METERING_RETENTION_MONTHS: z.coerce
    .number()
    .int()
    .min(2, 'must be at least 2: reports look 30 days back')
    .nullable()
    .default(null),
  LOG_LEVEL: z.string().default('info'),
  INTERNAL_HOST: z.string().default('127.0.0.1'),
  INTERNAL_PORT: z.coerce.number().int().min(0).max(65_535).default(9104),
});

/** How this instance runs. `retentionMonths` null: usage events are kept for ever. */
export interface MeteringSettings {
  nats: NatsAddress;
  databaseUrl: string;
  retentionMonths: number | null;
  logLevel: string;
  internalHost: string;
  internalPort: number;
}

/**
 * Reads the settings from environment variables.
 * @throws EnvironmentError naming every variable at fault.
 */
export function readSettings(environment: NodeJS.ProcessEnv = process.env): MeteringSettings {
  const values = readEnvironment(environmentSchema, environment);
  return {
    nats: natsAddress(values),
    databaseUrl: values.DATABASE_URL,
    retentionMonths: values.METERING_RETENTION_MONTHS,
    logLevel: values.LOG_LEVEL,
    internalHost: values.INTERNAL_HOST,
    internalPort: values.INTERNAL_PORT,
  };
}
