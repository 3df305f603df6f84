import { readEnvironment } from '@tollgate/configuration';
import { z } from 'zod';

const required = (what: string) => z.string({ error: `is required: ${what}` });

const environmentSchema = z.object({
  NATS_URL: required('the address of the NATS server, such as nats://127.0.0.1:4222'),
  DATABASE_URL: required('the address of the Postgres database'),
  TOLLGATE_KEY_PEPPER: required('the secret under which keys are stored, the same for accounts and edge').min(
    32,
    'must have at least 32 characters',
  ),
  TOLLGATE_KEY_PREFIX: z
    .string()
    .regex(/^[a-z][a-z0-9]{0,15}$/, 'must be 1 to 16 of a-z and 0-9, a letter first')
    .default('tg'),
  TOLLGATE_CONFIG: z.string().optional(),
  LOG_LEVEL: z.string().default('info'),
  INTERNAL_HOST: z.string().default('127.0.0.1'),
  INTERNAL_PORT: z.coerce.number().int().min(0).max(65_535).default(9103),
});

/** How this instance runs. `configFile` undefined: there is no tollgate.yaml, the plans are the default ones. */
export interface AccountsSettings {
  natsUrl: string;
  databaseUrl: string;
  keyPepper: string;
  keyPrefix: string;
  configFile: string | undefined;
  logLevel: string;
  internalHost: string;
  internalPort: number;
}

/**
 * Reads the settings from environment variables.
 * @throws EnvironmentError naming every variable at fault.
 */
export function readSettings(environment: NodeJS.ProcessEnv = process.env): AccountsSettings {
  const values = readEnvironment(environmentSchema, environment);
  return {
    natsUrl: values.NATS_URL,
    databaseUrl: values.DATABASE_URL,
    keyPepper: values.TOLLGATE_KEY_PEPPER,
    keyPrefix: values.TOLLGATE_KEY_PREFIX,
    configFile: values.TOLLGATE_CONFIG,
    logLevel: values.LOG_LEVEL,
    internalHost: values.INTERNAL_HOST,
    internalPort: values.INTERNAL_PORT,
  };
}
