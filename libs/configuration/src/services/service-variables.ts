import { isApiKey } from '@tollgate/contracts';
import { directoryRole, emailAddress, newPassword, personName } from '@tollgate/contracts/accounts';
import { z } from 'zod';
import { natsCredentials } from '../nats-credentials';

const levels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
const count = z.coerce.number().int().positive();
const port = z.coerce.number().int().min(0).max(65_535);
const flag = z.enum(['true', 'false']).transform((text) => text === 'true');
const httpUrl = z.url({ protocol: /^https?$/, error: 'must begin with http:// or https://' });
const required = (what: string) => z.string({ error: `is required: ${what}` });

const nats = {
  NATS_URL: required('the address of the NATS server, such as nats://127.0.0.1:4222'),
  ...natsCredentials,
};
const database = {
  DATABASE_URL: required('the address of the Postgres database, such as postgresql://user@host:5432/tollgate'),
  DATABASE_DIRECT_URL: z.string().optional(),
};
const keyPepper = required('the secret under which keys are stored, the same for accounts and edge').min(
  32,
  'must have at least 32 characters',
);
const tracing = {
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl.optional(),
  OTEL_TRACES_SAMPLER_ARG: z.coerce.number().min(0).max(1).default(1),
};

const longSecret = z.string().min(32, 'must have at least 32 characters');

/**
 * `true`, `false`, or a comma-separated list of the addresses and networks of proxies whose X-Forwarded-*
 * headers are believed.
 */
const trustProxy = z
  .string()
  .default('false')
  .transform((text) => (text === 'true' || text === 'false' ? text === 'true' : text));

/** Former secrets with spaces or commas between. */
const formerSecrets = z
  .string()
  .default('')
  .transform((text) => text.split(/[\s,]+/).filter((secret) => secret !== ''))
  .pipe(z.array(longSecret).max(4, 'must not be more than 4'));

/** `group=role` with commas between; the names of groups may hold spaces. */
const groupRoles = z
  .string()
  .default('')
  .transform((text) => text.split(',').flatMap((pair) => pair.trim() || []))
  .pipe(z.array(z.string().regex(/^.+=[a-z]+$/, 'must be pairs like ai-team=developer')))
  .transform((pairs) =>
    pairs.map((pair) => [pair.slice(0, pair.lastIndexOf('=')), pair.slice(pair.lastIndexOf('=') + 1)]),
  )
  .pipe(
    z.array(z.tuple([z.string().trim(), directoryRole]), `must lead to one of ${directoryRole.options.join(', ')}`),
  );

/** Host names or IP addresses (IPv6 in brackets) with spaces or commas between. */
const hosts = z
  .string()
  .default('')
  .transform((text) => text.split(/[\s,]+/).filter((host) => host !== ''))
  .pipe(
    z.array(
      z.string().regex(/^[a-z0-9.\-_[\]:]+$/, 'must be hosts alone, in lower case, like alerts.internal or 10.0.0.7'),
    ),
  );

/** Origins with spaces or commas between, or a star for all. */
const origins = z
  .string()
  .default('')
  .transform((text) => text.split(/[\s,]+/).filter((origin) => origin !== ''))
  .pipe(z.array(z.string().regex(/^(\*|https?:\/\/[^/\s]+)$/, 'must be * or origins like https://app.example.com')));

/** What every service reads. */
const ofEvery = (internalPort: number) => ({
  LOG_LEVEL: z.enum(levels, `must be one of ${levels.join(', ')}`).default('info'),
  INTERNAL_HOST: z.string().default('127.0.0.1'),
  INTERNAL_PORT: port.default(internalPort),
});

/**
 * The environment variables that each service reads, and what they may be: the one table from which the
 * services read their settings, `npm start` and Docker Compose hand them out, and `tollgate check` looks at
 * them.
 */
export const serviceVariables = {
  edge: z.object({
    ...ofEvery(9100),
    ...nats,
    TOLLGATE_KEY_PEPPER: keyPepper,
    TOLLGATE_KEY_PEPPER_PREVIOUS: formerSecrets,
    VALKEY_URL: z
      .string()
      .regex(/^(valkey|redis)s?:\/\//, 'must begin with valkey:// or valkeys://')
      .optional(),
    VALKEY_CA: z.string().optional(),
    HOST: z.string().default('127.0.0.1'),
    PORT: port.default(8080),
    TRUST_PROXY: trustProxy,
    EDGE_TLS_CERT: z.string().optional(),
    EDGE_TLS_KEY: z.string().optional(),
    EDGE_BODY_LIMIT: count.default(33_554_432),
    EDGE_BODY_MEMORY: count.default(536_870_912),
    EDGE_CACHE_MEMORY: z.coerce.number().int().nonnegative().default(67_108_864),
    EDGE_CACHE_ENTRY_LIMIT: count.default(1_048_576),
    EDGE_CACHE_TTL_S: count.default(300),
    EDGE_CACHE_MAX_TTL_S: count.default(86_400),
    EDGE_MAX_CONNECTIONS: count.default(20_000),
    EDGE_DEFAULT_OUTPUT_RESERVE: count.default(4_096),
    EDGE_GENERATION_TIMEOUT_S: count.default(900),
    EDGE_KEEP_ALIVE_S: z.coerce.number().positive().default(15),
    EDGE_STOP_GRACE_S: z.coerce.number().nonnegative().default(1),
    EDGE_DRAIN_S: z.coerce.number().nonnegative().default(120),
    EDGE_CORS_ORIGINS: origins,
    EDGE_STORE_RESPONSES: flag.default(true),
    EDGE_DOCS: flag.default(true),
    ...tracing,
    EDGE_DASHBOARD: z.string().default('dist/apps/dashboard'),
  }),
  inference: z.object({
    ...ofEvery(9101),
    ...nats,
    TOLLGATE_SANDBOX: z.enum(['auto', 'on', 'off']).default('auto'),
    TOLLGATE_SANDBOX_URL: httpUrl.optional(),
    TOLLGATE_KEY_ENCRYPTION_KEY: longSecret.optional(),
    TOLLGATE_KEY_ENCRYPTION_KEY_PREVIOUS: formerSecrets,
    PROVIDER_PRIVATE_HOSTS: hosts,
    INFERENCE_MAX_IN_FLIGHT: count.default(2_000),
    INFERENCE_UPSTREAM_CONNECTIONS: count.default(4_000),
    INFERENCE_RETRIES: z.coerce.number().int().min(0).max(5).default(1),
    INFERENCE_MIN_CONCURRENCY: count.default(16),
    INFERENCE_MAX_ANSWER_BYTES: count.default(64 * 1024 * 1024),
    INFERENCE_ANSWER_MEMORY: count.optional(),
    INFERENCE_JOURNAL: z.string().min(1).optional(),
    INFERENCE_DRAIN_MS: count.default(120_000),
    ...tracing,
  }),
  catalog: z.object({
    ...ofEvery(9102),
    ...nats,
    ...database,
    TOLLGATE_CONFIG: z.string().optional(),
    PRICES_OLD_AFTER_DAYS: count.default(90),
    PROVIDER_PRIVATE_HOSTS: hosts,
  }),
  accounts: z.object({
    ...ofEvery(9103),
    ...nats,
    ...database,
    TOLLGATE_KEY_PEPPER: keyPepper,
    TOLLGATE_KEY_PEPPER_PREVIOUS: formerSecrets,
    TOLLGATE_KEY_PREFIX: z
      .string()
      .regex(/^[a-z][a-z0-9]{0,15}$/, 'must be 1 to 16 of a-z and 0-9, a letter first')
      .default('tg'),
    TOLLGATE_CONFIG: z.string().optional(),
    TOLLGATE_PUBLIC_URL: httpUrl.default('http://localhost:8080'),
    TOLLGATE_BOOTSTRAP_SECRET: z.string().min(16, 'must have at least 16 characters').optional(),
    TOLLGATE_INIT_ADMIN_EMAIL: emailAddress.optional(),
    TOLLGATE_INIT_ADMIN_PASSWORD: newPassword.optional(),
    TOLLGATE_INIT_ADMIN_NAME: personName.default('Administrator'),
    TOLLGATE_INIT_ACCOUNT: personName.optional(),
    TOLLGATE_INIT_KEY: z
      .string()
      .refine(isApiKey, 'is no key, or a mistyped one: `tollgate keys make` makes one')
      .optional(),
    TOLLGATE_INIT_KEY_NAME: personName.default('first'),
    TOLLGATE_INIT_KEY_PLAN: z.string().optional(),
    KEYS_PER_ACCOUNT: count.default(1_000),
    SESSION_IDLE_S: count.default(7 * 86_400),
    SESSION_MAX_S: count.default(30 * 86_400),
    SECOND_FACTOR_REQUIRED: z.enum(['administrators', 'everybody']).optional(),
    SMTP_URL: z.url({ protocol: /^smtps?$/, error: 'must begin with smtp:// or smtps://' }).optional(),
    SMTP_FROM: z.string().optional(),
    WEBHOOK_PRIVATE_HOSTS: hosts,
    OIDC_ISSUER: z
      .url()
      .regex(/^(https:|http:\/\/(localhost|127\.0\.0\.1)(:|\/|$))/, 'must begin with https://')
      .optional(),
    OIDC_CLIENT_ID: z.string().optional(),
    OIDC_CLIENT_SECRET: z.string().optional(),
    OIDC_NAME: z.string().max(40).default('single sign-on'),
    OIDC_SCOPES: z
      .string()
      .regex(/^openid( [\x21-\x7e]+)*$/, 'must begin with openid, and have a space between scopes')
      .default('openid email profile'),
    OIDC_ACCOUNT: z.string().max(200).optional(),
    OIDC_GROUPS_CLAIM: z.string().min(1).max(200).default('groups'),
    OIDC_ROLES: groupRoles,
  }),
  metering: z.object({
    ...ofEvery(9104),
    ...nats,
    ...database,
    METERING_RETENTION_MONTHS: z.coerce
      .number()
      .int()
      .min(2, 'must be at least 2: reports look 30 days back')
      .nullable()
      .default(null),
    METERING_STORED_BYTES: count.default(10_737_418_240),
    NATS_REPLICAS: z.coerce.number().int().min(1).max(5).nullable().default(null),
  }),
  sandbox: z.object({
    ...ofEvery(9105),
    HOST: z.string().default('127.0.0.1'),
    PORT: port.default(4010),
    SANDBOX_LEDGER_MAX: count.default(200_000),
    SANDBOX_DEFAULTS: z.string().default(''),
  }),
};
export type ConfiguredService = keyof typeof serviceVariables;
