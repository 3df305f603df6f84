import { readEnvironment, serviceVariables } from '@tollgate/configuration';
import type { AccountRole } from '@tollgate/contracts/accounts';
import { ServiceSettings } from '@tollgate/service';
import type { z } from 'zod';

type Values = z.output<typeof serviceVariables.accounts>;

/** `account`: where the groups lead, by its id or address. `claim`: what tells the groups of somebody. */
export interface OidcGroups {
  account: string;
  claim: string;
  roles: readonly (readonly [group: string, role: AccountRole])[];
}

/** How people sign in. Times in milliseconds. */
export interface PeopleSettings {
  /** The address of the dashboard, without a slash at its end; links in mails lead there. */
  publicUrl: string;
  /** Null: no first administrator can be made. */
  bootstrapSecret: string | null;
  /** How long a session goes on unused, and how long at all. */
  sessionIdleMs: number;
  sessionMaxMs: number;
  /** Who must have a second factor beside their password. Null: nobody. */
  secondFactorRequired: 'administrators' | 'everybody' | null;
  /**
   * A provider that people may sign in with; `name` is what the button says. Null: nobody signs in with one.
   */
  oidc: {
    name: string;
    issuer: string;
    clientId: string;
    clientSecret: string;
    scopes: string;
    /** How groups of the provider lead to roles. Null: they do not. */
    groups: OidcGroups | null;
  } | null;
  /** Null: mails stay in the outbox. `url` as nodemailer takes it: smtps://user:password@host:465. */
  smtp: { url: string; from: string } | null;
}

/** What is made at a start where it is not there yet, so that an installation needs nobody's hand. */
export interface InitialSettings {
  /**
   * Null: the first administrator is made with the bootstrap secret. `account`: the name of their account,
   * null: their own.
   */
  administrator: { email: string; password: string; name: string; account: string | null } | null;
  /** Null: none is made. `apiKey` is the key itself; `plan` null: that of its account. */
  key: { apiKey: string; name: string; plan: string | null } | null;
}

/** How this instance runs. */
export class AccountsSettings extends ServiceSettings {
  /**
   * The secret under which the digests of keys are made, the same at every edge; and what stands in front of
   * every new key.
   */
  readonly keyPepper: string;
  readonly keyPrefix: string;
  /** Peppers of before, under which secrets of second factors may still be sealed. */
  readonly formerPeppers: readonly string[];
  /** Undefined: there is no tollgate.yaml, the plans are the default ones. */
  readonly configFile: string | undefined;
  readonly people: PeopleSettings;
  /** How many keys of an account may work, but of the operator's own. */
  readonly keysPerAccount: number;
  /** Hosts to which webhooks may lead although they are not of the internet. */
  readonly webhookPrivateHosts: readonly string[];
  readonly initial: InitialSettings;
  /**
   * How long a connection to Postgres is waited for, or a free one of those that are open. Callers wait two
   * seconds for an answer: they should hear sooner that Postgres is away.
   */
  readonly connectTimeoutMs: number = 1_000;

  /** @throws EnvironmentError naming every variable at fault. */
  constructor(environment: NodeJS.ProcessEnv = process.env) {
    const values = readEnvironment(serviceVariables.accounts, environment);
    super(values);
    this.keyPepper = values.TOLLGATE_KEY_PEPPER;
    this.formerPeppers = values.TOLLGATE_KEY_PEPPER_PREVIOUS;
    this.keyPrefix = values.TOLLGATE_KEY_PREFIX;
    this.configFile = values.TOLLGATE_CONFIG;
    this.keysPerAccount = values.KEYS_PER_ACCOUNT;
    this.webhookPrivateHosts = values.WEBHOOK_PRIVATE_HOSTS;
    this.people = {
      // The usual port is not a part of what browsers and OpenID providers compare.
      publicUrl: new URL(values.TOLLGATE_PUBLIC_URL).href.replace(/\/+$/, ''),
      bootstrapSecret: values.TOLLGATE_BOOTSTRAP_SECRET ?? null,
      sessionIdleMs: values.SESSION_IDLE_S * 1_000,
      sessionMaxMs: values.SESSION_MAX_S * 1_000,
      secondFactorRequired: values.SECOND_FACTOR_REQUIRED ?? null,
      oidc: oidcSettings(values),
      smtp: smtpSettings(values),
    };
    this.initial = { administrator: initialAdministrator(values), key: initialKey(values) };
  }
}

function initialAdministrator(values: Values): InitialSettings['administrator'] {
  const { TOLLGATE_INIT_ADMIN_EMAIL: email, TOLLGATE_INIT_ADMIN_PASSWORD: password } = values;
  if (email === undefined || password === undefined) return null;
  return { email, password, name: values.TOLLGATE_INIT_ADMIN_NAME, account: values.TOLLGATE_INIT_ACCOUNT ?? null };
}

function initialKey(values: Values): InitialSettings['key'] {
  const { TOLLGATE_INIT_KEY: apiKey, TOLLGATE_INIT_KEY_NAME: name, TOLLGATE_INIT_KEY_PLAN: plan = null } = values;
  return apiKey === undefined ? null : { apiKey, name, plan };
}

function oidcSettings(values: Values): PeopleSettings['oidc'] {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret, OIDC_NAME: name } = values;
  if (!issuer || !clientId || !clientSecret) return null;
  return { name, issuer, clientId, clientSecret, scopes: values.OIDC_SCOPES, groups: oidcGroups(values) };
}

function oidcGroups({ OIDC_ACCOUNT: account, OIDC_GROUPS_CLAIM: claim, OIDC_ROLES: roles }: Values): OidcGroups | null {
  return account !== undefined && roles.length > 0 ? { account, claim, roles } : null;
}

function smtpSettings({ SMTP_URL: url, SMTP_FROM: from }: Values): PeopleSettings['smtp'] {
  return url && from ? { url, from } : null;
}
