import { readEnvironment, serviceVariables } from '@tollgate/configuration';
import { natsAddress } from '@tollgate/messaging';
import type { NatsAddress } from '@tollgate/messaging';
import type { z } from 'zod';
import { PeopleSettings, type OidcSettings } from './people/people-settings';

/** How this instance runs. `configFile` undefined: there is no tollgate.yaml, the plans are the default ones. */
export interface AccountsSettings {
  nats: NatsAddress;
  databaseUrl: string;
  /** Of the server itself, where `databaseUrl` leads to a pooler; null: `databaseUrl` is the server's. */
  directDatabaseUrl: string | null;
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
  const values = readEnvironment(serviceVariables.accounts, environment);
  return {
    nats: natsAddress(values),
    databaseUrl: values.DATABASE_URL,
    directDatabaseUrl: values.DATABASE_DIRECT_URL ?? null,
    keyPepper: values.TOLLGATE_KEY_PEPPER,
    keyPrefix: values.TOLLGATE_KEY_PREFIX,
    configFile: values.TOLLGATE_CONFIG,
    people: peopleSettings(values),
    logLevel: values.LOG_LEVEL,
    internalHost: values.INTERNAL_HOST,
    internalPort: values.INTERNAL_PORT,
  };
}

function peopleSettings(values: z.output<typeof serviceVariables.accounts>): PeopleSettings {
  return new PeopleSettings(
    // The usual port is not a part of what browsers and OpenID providers compare.
    new URL(values.TOLLGATE_PUBLIC_URL).href.replace(/\/+$/, ''),
    values.TOLLGATE_BOOTSTRAP_SECRET ?? null,
    values.SESSION_IDLE_S * 1_000,
    values.SESSION_MAX_S * 1_000,
    oidcSettings(values),
    smtpSettings(values),
  );
}

function oidcSettings(values: z.output<typeof serviceVariables.accounts>): OidcSettings | null {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret, OIDC_NAME: name } = values;
  return issuer && clientId && clientSecret ? { name, issuer, clientId, clientSecret } : null;
}

function smtpSettings({
  SMTP_URL: url,
  SMTP_FROM: from,
}: z.output<typeof serviceVariables.accounts>): PeopleSettings['smtp'] {
  return url && from ? { url, from } : null;
}
