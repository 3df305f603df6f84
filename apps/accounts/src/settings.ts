import { EnvironmentError, natsCredentials, readEnvironment } from '@tollgate/configuration';
import { natsAddress } from '@tollgate/messaging';
import type { NatsAddress } from '@tollgate/messaging';
import { z } from 'zod';
import { PeopleSettings, type OidcSettings } from './people/people-settings';

const required = (what: string) => z.string({ error: `is required: ${what}` });

const seconds = z.coerce.number().int().positive();

const environmentSchema = z.object({
  NATS_URL: required('the address of the NATS server, such as nats://127.0.0.1:4222'),
  ...natsCredentials,
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
  TOLLGATE_PUBLIC_URL: z.url({ protocol: /^https?$/ }).default('http://localhost:8080'),
  TOLLGATE_BOOTSTRAP_SECRET: z.string().min(16, 'must have at least 16 characters').optional(),
  SESSION_IDLE_S: seconds.default(7 * 86_400),
  SESSION_MAX_S: seconds.default(30 * 86_400),
  SMTP_URL: z.url({ protocol: /^smtps?$/, error: 'must begin with smtp:// or smtps://' }).optional(),
  SMTP_FROM: z.string().optional(),
  OIDC_ISSUER: z
    .url()
    .regex(/^(https:|http:\/\/(localhost|127\.0\.0\.1)(:|\/|$))/, 'must begin with https://')
    .optional(),
  OIDC_CLIENT_ID: z.string().optional(),
  OIDC_CLIENT_SECRET: z.string().optional(),
  OIDC_NAME: z.string().max(40).default('single sign-on'),
  LOG_LEVEL: z.string().default('info'),
  INTERNAL_HOST: z.string().default('127.0.0.1'),
  INTERNAL_PORT: z.coerce.number().int().min(0).max(65_535).default(9103),
});

/** How this instance runs. `configFile` undefined: there is no tollgate.yaml, the plans are the default ones. */
export interface AccountsSettings {
  nats: NatsAddress;
  databaseUrl: string;
  keyPepper: string;
  keyPrefix: string;
  configFile: string | undefined;
  people: PeopleSettings;
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
    nats: natsAddress(values),
    databaseUrl: values.DATABASE_URL,
    keyPepper: values.TOLLGATE_KEY_PEPPER,
    keyPrefix: values.TOLLGATE_KEY_PREFIX,
    configFile: values.TOLLGATE_CONFIG,
    people: peopleSettings(values),
    logLevel: values.LOG_LEVEL,
    internalHost: values.INTERNAL_HOST,
    internalPort: values.INTERNAL_PORT,
  };
}

function peopleSettings(values: z.output<typeof environmentSchema>): PeopleSettings {
  return new PeopleSettings(
    values.TOLLGATE_PUBLIC_URL.replace(/\/+$/, ''),
    values.TOLLGATE_BOOTSTRAP_SECRET ?? null,
    values.SESSION_IDLE_S * 1_000,
    values.SESSION_MAX_S * 1_000,
    oidcSettings(values),
    smtpSettings(values),
  );
}

function oidcSettings(values: z.output<typeof environmentSchema>): OidcSettings | null {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret, OIDC_NAME: name } = values;
  if (issuer && clientId && clientSecret) return { name, issuer, clientId, clientSecret };
  if (issuer ?? clientId ?? clientSecret)
    throw new EnvironmentError(['OIDC_ISSUER, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET: set all three, or none']);
  return null;
}

function smtpSettings({ SMTP_URL: url, SMTP_FROM: from }: z.output<typeof environmentSchema>): PeopleSettings['smtp'] {
  if (url && from) return { url, from };
  if (url ?? from) throw new EnvironmentError(['SMTP_URL and SMTP_FROM: set both, or neither to keep mails here']);
  return null;
}
