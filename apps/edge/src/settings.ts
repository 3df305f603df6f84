import { EnvironmentError, natsCredentials, readEnvironment } from '@tollgate/configuration';
import { natsAddress } from '@tollgate/messaging';
import type { NatsAddress } from '@tollgate/messaging';
import type { TracingSettings } from '@tollgate/observability';
import { resolve } from 'node:path';
import { z } from 'zod';

/** Names the logger for Nest's injection: a pino logger is no class. */
export const LOGGER = Symbol('logger');

const port = z.coerce.number().int().min(0).max(65_535);
const flag = z.enum(['true', 'false']).transform((text) => text === 'true');

/** `true`, `false`, or a comma-separated list of the addresses and networks of proxies whose X-Forwarded-* headers are believed. */
const trustProxy = z
  .string()
  .default('false')
  .transform((text) => (text === 'true' || text === 'false' ? text === 'true' : text));

/** Peppers with spaces or commas between. */
const peppers = z
  .string()
  .default('')
  .transform((text) => text.split(/[\s,]+/).filter((pepper) => pepper !== ''))
  .pipe(z.array(z.string().min(32, 'must have at least 32 characters')).max(4, 'must not be more than 4'));

/** Origins with spaces or commas between, or a star for all. */
const origins = z
  .string()
  .default('')
  .transform((text) => text.split(/[\s,]+/).filter((origin) => origin !== ''))
  .pipe(z.array(z.string().regex(/^(\*|https?:\/\/[^/\s]+)$/, 'must be * or origins like https://app.example.com')));

const environment = z.object({
  NATS_URL: z.string(),
  ...natsCredentials,
  TOLLGATE_KEY_PEPPER: z.string().min(32, 'must have at least 32 characters'),
  TOLLGATE_KEY_PEPPER_PREVIOUS: peppers,
  VALKEY_URL: z
    .string()
    .regex(/^(valkey|redis)s?:\/\//, 'must begin with valkey:// or valkeys://')
    .optional(),
  VALKEY_CA: z.string().optional(),
  HOST: z.string().default('127.0.0.1'),
  PORT: port.default(8080),
  INTERNAL_HOST: z.string().default('127.0.0.1'),
  INTERNAL_PORT: port.default(9100),
  TRUST_PROXY: trustProxy,
  EDGE_TLS_CERT: z.string().optional(),
  EDGE_TLS_KEY: z.string().optional(),
  EDGE_BODY_LIMIT: z.coerce.number().int().positive().default(33_554_432),
  EDGE_BODY_MEMORY: z.coerce.number().int().positive().default(536_870_912),
  EDGE_CACHE_MEMORY: z.coerce.number().int().nonnegative().default(67_108_864),
  EDGE_CACHE_ENTRY_LIMIT: z.coerce.number().int().positive().default(1_048_576),
  EDGE_CACHE_TTL_S: z.coerce.number().int().positive().default(300),
  EDGE_CACHE_MAX_TTL_S: z.coerce.number().int().positive().default(86_400),
  EDGE_MAX_CONNECTIONS: z.coerce.number().int().positive().default(20_000),
  EDGE_DEFAULT_OUTPUT_RESERVE: z.coerce.number().int().positive().default(4_096),
  EDGE_GENERATION_TIMEOUT_S: z.coerce.number().int().positive().default(900),
  EDGE_KEEP_ALIVE_S: z.coerce.number().positive().default(15),
  EDGE_STOP_GRACE_S: z.coerce.number().nonnegative().default(1),
  EDGE_DRAIN_S: z.coerce.number().nonnegative().default(120),
  EDGE_CORS_ORIGINS: origins,
  EDGE_DOCS: flag.default(true),
  OTEL_EXPORTER_OTLP_ENDPOINT: z.url({ protocol: /^https?$/ }).optional(),
  OTEL_TRACES_SAMPLER_ARG: z.coerce.number().min(0).max(1).default(1),
  EDGE_DASHBOARD: z.string().default('dist/apps/dashboard'),
});

/** How one edge is set up. Sizes in bytes; `valkey` null: this edge is the only one; `trustProxy` as Fastify takes it; `tls` null: plain HTTP; `tracing` null: off. */
export class Settings {
  readonly nats: NatsAddress;
  readonly pepper: string;
  /** Keys that are kept under one of these are taken too. */
  readonly formerPeppers: readonly string[];
  readonly valkey: { url: string; ca: string | null } | null;
  readonly host: string;
  readonly port: number;
  readonly internalHost: string;
  readonly internalPort: number;
  readonly trustProxy: boolean | string;
  readonly tls: { certFile: string; keyFile: string } | null;
  readonly bodyLimit: number;
  readonly bodyMemory: number;
  /** Bytes of answers kept for those who ask for it (0: nobody is served from a cache), bytes of one of them, and for how long. */
  readonly cache: { memory: number; entryLimit: number; ttlS: number; maxTtlS: number };
  readonly maxConnections: number;
  readonly defaultOutputReserve: number;
  readonly generationTimeoutMs: number;
  readonly keepAliveMs: number;
  /** How long a stopping edge still takes connections while /readyz already answers 503. */
  readonly stopGraceMs: number;
  readonly drainMs: number;
  /** Pages of these origins may call what goes by keys; `*`: of all. */
  readonly corsOrigins: readonly string[];
  readonly docs: boolean;
  readonly tracing: TracingSettings | null;
  /** The folder with the dashboard's built files, absolute. */
  readonly dashboardFolder: string;

  /** @throws EnvironmentError naming every variable that is missing or wrong. */
  constructor(variables: NodeJS.ProcessEnv = process.env) {
    const values = readEnvironment(environment, variables);
    this.nats = natsAddress(values);
    this.pepper = values.TOLLGATE_KEY_PEPPER;
    this.formerPeppers = values.TOLLGATE_KEY_PEPPER_PREVIOUS;
    this.valkey = values.VALKEY_URL ? { url: values.VALKEY_URL, ca: values.VALKEY_CA ?? null } : null;
    this.host = values.HOST;
    this.port = values.PORT;
    this.internalHost = values.INTERNAL_HOST;
    this.internalPort = values.INTERNAL_PORT;
    this.trustProxy = values.TRUST_PROXY;
    this.tls = tlsFiles(values.EDGE_TLS_CERT, values.EDGE_TLS_KEY);
    this.bodyLimit = values.EDGE_BODY_LIMIT;
    this.bodyMemory = values.EDGE_BODY_MEMORY;
    this.cache = {
      memory: values.EDGE_CACHE_MEMORY,
      entryLimit: values.EDGE_CACHE_ENTRY_LIMIT,
      ttlS: Math.min(values.EDGE_CACHE_TTL_S, values.EDGE_CACHE_MAX_TTL_S),
      maxTtlS: values.EDGE_CACHE_MAX_TTL_S,
    };
    this.maxConnections = values.EDGE_MAX_CONNECTIONS;
    this.defaultOutputReserve = values.EDGE_DEFAULT_OUTPUT_RESERVE;
    this.generationTimeoutMs = values.EDGE_GENERATION_TIMEOUT_S * 1_000;
    this.keepAliveMs = values.EDGE_KEEP_ALIVE_S * 1_000;
    this.stopGraceMs = values.EDGE_STOP_GRACE_S * 1_000;
    this.drainMs = values.EDGE_DRAIN_S * 1_000;
    this.corsOrigins = values.EDGE_CORS_ORIGINS;
    this.docs = values.EDGE_DOCS;
    const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_TRACES_SAMPLER_ARG: sampleRatio } = values;
    this.tracing = endpoint ? { endpoint, sampleRatio } : null;
    this.dashboardFolder = resolve(values.EDGE_DASHBOARD);
  }
}

function tlsFiles(certFile: string | undefined, keyFile: string | undefined): Settings['tls'] {
  if (certFile && keyFile) return { certFile, keyFile };
  if (certFile ?? keyFile)
    throw new EnvironmentError(['EDGE_TLS_CERT and EDGE_TLS_KEY: set both, or neither for plain HTTP']);
  return null;
}
