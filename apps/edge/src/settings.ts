import { readEnvironment, serviceVariables } from '@tollgate/configuration';
import type { TracingSettings } from '@tollgate/observability';
import { ServiceSettings } from '@tollgate/service';
import { resolve } from 'node:path';

/**
 * How one edge is set up. Sizes in bytes; `valkey` null: this edge is the only one; `trustProxy` as Fastify
 * takes it; `tls` null: plain HTTP; `tracing` null: off.
 */
export class Settings extends ServiceSettings {
  readonly pepper: string;
  /** Keys that are kept under one of these are taken too. */
  readonly formerPeppers: readonly string[];
  readonly valkey: { url: string; ca: string | null } | null;
  readonly host: string;
  readonly port: number;
  readonly trustProxy: boolean | string;
  readonly tls: { certFile: string; keyFile: string } | null;
  readonly bodyLimit: number;
  readonly bodyMemory: number;
  /**
   * Bytes of answers kept for those who ask for it (0: nobody is served from a cache), bytes of one of them,
   * and for how long.
   */
  readonly cache: { memory: number; entryLimit: number; ttlS: number; maxTtlS: number };
  readonly storesResponses: boolean;
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
    const values = readEnvironment(serviceVariables.edge, variables);
    super(values);
    this.pepper = values.TOLLGATE_KEY_PEPPER;
    this.formerPeppers = values.TOLLGATE_KEY_PEPPER_PREVIOUS;
    this.valkey = values.VALKEY_URL ? { url: values.VALKEY_URL, ca: values.VALKEY_CA ?? null } : null;
    this.host = values.HOST;
    this.port = values.PORT;
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
    this.storesResponses = values.EDGE_STORE_RESPONSES;
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
  return certFile && keyFile ? { certFile, keyFile } : null;
}
