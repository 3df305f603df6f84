import { natsCredentials, readEnvironment } from '@tollgate/configuration';
import { natsAddress } from '@tollgate/messaging';
import type { NatsAddress } from '@tollgate/messaging';
import type { TracingSettings } from '@tollgate/observability';
import { z } from 'zod';

const count = z.coerce.number().int().positive();

const environmentSchema = z.object({
  NATS_URL: z.string({ error: 'is required: the address of the NATS server, such as nats://127.0.0.1:4222' }),
  ...natsCredentials,
  LOG_LEVEL: z.string().default('info'),
  INTERNAL_HOST: z.string().default('127.0.0.1'),
  INTERNAL_PORT: z.coerce.number().int().min(0).max(65_535).default(9101),
  TOLLGATE_SANDBOX: z.enum(['auto', 'on', 'off']).default('auto'),
  TOLLGATE_SANDBOX_URL: z.url({ protocol: /^https?$/ }).optional(),
  INFERENCE_MAX_IN_FLIGHT: count.default(2_000),
  INFERENCE_UPSTREAM_CONNECTIONS: count.default(4_000),
  INFERENCE_RETRIES: z.coerce.number().int().min(0).max(5).default(1),
  INFERENCE_MIN_CONCURRENCY: count.default(16),
  INFERENCE_MAX_ANSWER_BYTES: count.default(64 * 1024 * 1024),
  INFERENCE_JOURNAL: z.string().min(1).optional(),
  INFERENCE_DRAIN_MS: count.default(120_000),
  OTEL_EXPORTER_OTLP_ENDPOINT: z.url({ protocol: /^https?$/ }).optional(),
  OTEL_TRACES_SAMPLER_ARG: z.coerce.number().min(0).max(1).default(1),
});

/** How this instance runs. Sizes in bytes, times in milliseconds; `sandboxUrl` null means no simulated providers are known. */
export interface InferenceSettings {
  nats: NatsAddress;
  logLevel: string;
  internalHost: string;
  internalPort: number;
  sandbox: 'auto' | 'on' | 'off';
  sandboxUrl: string | null;
  maxInFlight: number;
  /** Most connections to one provider. Above it requests wait for a free one, at most the provider's connect timeout. */
  upstreamConnections: number;
  /** How often one request may be tried again at the same deployment, in all. */
  retries: number;
  /** However often a provider refuses for load (429, 529), it still gets so many requests at once. */
  minConcurrency: number;
  /** Most bytes of one answer that is no stream. */
  maxAnswerBytes: number;
  /** The folder that keeps usage which is not stored yet, for whoever outlives this process. Null: none. */
  journalFolder: string | null;
  drainMs: number;
  /** Null: off. */
  tracing: TracingSettings | null;
}

/**
 * Reads the settings from environment variables.
 * @throws EnvironmentError naming every variable at fault.
 */
export function readSettings(environment: NodeJS.ProcessEnv = process.env): InferenceSettings {
  const values = readEnvironment(environmentSchema, environment);
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_TRACES_SAMPLER_ARG: sampleRatio } = values;
  return {
    nats: natsAddress(values),
    logLevel: values.LOG_LEVEL,
    internalHost: values.INTERNAL_HOST,
    internalPort: values.INTERNAL_PORT,
    sandbox: values.TOLLGATE_SANDBOX,
    sandboxUrl: values.TOLLGATE_SANDBOX_URL ?? null,
    maxInFlight: values.INFERENCE_MAX_IN_FLIGHT,
    upstreamConnections: values.INFERENCE_UPSTREAM_CONNECTIONS,
    retries: values.INFERENCE_RETRIES,
    minConcurrency: values.INFERENCE_MIN_CONCURRENCY,
    maxAnswerBytes: values.INFERENCE_MAX_ANSWER_BYTES,
    journalFolder: values.INFERENCE_JOURNAL ?? null,
    drainMs: values.INFERENCE_DRAIN_MS,
    tracing: endpoint ? { endpoint, sampleRatio } : null,
  };
}
