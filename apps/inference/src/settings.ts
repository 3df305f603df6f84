import { readEnvironment, serviceVariables } from '@tollgate/configuration';
import { natsAddress } from '@tollgate/messaging';
import type { NatsAddress } from '@tollgate/messaging';
import type { TracingSettings } from '@tollgate/observability';
import { totalmem } from 'node:os';

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
  /** What all answers take at once: half of what there is, between 256 MiB and 1 GiB, unless told otherwise. */
  answerMemory: number;
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
  const values = readEnvironment(serviceVariables.inference, environment);
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
    answerMemory: values.INFERENCE_ANSWER_MEMORY ?? defaultAnswerMemory(),
    journalFolder: values.INFERENCE_JOURNAL ?? null,
    drainMs: values.INFERENCE_DRAIN_MS,
    tracing: endpoint ? { endpoint, sampleRatio } : null,
  };
}

function defaultAnswerMemory(): number {
  // 0 where nothing bounds the process: https://nodejs.org/api/process.html#processconstrainedmemory
  const there = Math.min(process.constrainedMemory() || totalmem(), totalmem());
  return Math.min(1_073_741_824, Math.max(268_435_456, Math.floor(there / 2)));
}
