import { readEnvironment, serviceVariables } from '@tollgate/configuration';
import type { TracingSettings } from '@tollgate/observability';
import { ServiceSettings } from '@tollgate/service';
import { totalmem } from 'node:os';
import { EnvironmentSecrets } from './credentials/environment-secrets';
import { KeyRing } from './credentials/key-ring';

/** How this instance runs. Sizes in bytes, times in milliseconds. */
export class InferenceSettings extends ServiceSettings {
  readonly sandbox: 'auto' | 'on' | 'off';
  /** Null: no simulated providers are known. */
  readonly sandboxUrl: string | null;
  readonly maxInFlight: number;
  /**
   * Most connections to one provider. Above it requests wait for a free one, at most the provider's connect
   * timeout.
   */
  readonly upstreamConnections: number;
  /** How often one request may be tried again at the same deployment, in all. */
  readonly retries: number;
  /** However often a provider refuses for load (429, 529), it still gets so many requests at once. */
  readonly minConcurrency: number;
  /** Most bytes of one answer that is no stream. */
  readonly maxAnswerBytes: number;
  /**
   * What all answers take at once: half of what there is, between 256 MiB and 1 GiB, unless told otherwise.
   */
  readonly answerMemory: number;
  /** The folder that keeps usage which is not stored yet, for whoever outlives this process. Null: none. */
  readonly journalFolder: string | null;
  readonly drainMs: number;
  /** Null: off. */
  readonly tracing: TracingSettings | null;
  /** The keys of providers. */
  readonly secrets: EnvironmentSecrets;
  /** What opens keys of providers that were given without the environment. */
  readonly ring: KeyRing;
  /** Hosts of providers that are set without the file which may be private, or speak plain HTTP. */
  readonly privateHosts: readonly string[];

  /** @throws EnvironmentError naming every variable at fault. */
  constructor(environment: NodeJS.ProcessEnv = process.env) {
    const values = readEnvironment(serviceVariables.inference, environment);
    super(values);
    const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_TRACES_SAMPLER_ARG: sampleRatio } = values;
    this.sandbox = values.TOLLGATE_SANDBOX;
    this.sandboxUrl = values.TOLLGATE_SANDBOX_URL ?? null;
    this.maxInFlight = values.INFERENCE_MAX_IN_FLIGHT;
    this.upstreamConnections = values.INFERENCE_UPSTREAM_CONNECTIONS;
    this.retries = values.INFERENCE_RETRIES;
    this.minConcurrency = values.INFERENCE_MIN_CONCURRENCY;
    this.maxAnswerBytes = values.INFERENCE_MAX_ANSWER_BYTES;
    this.answerMemory = values.INFERENCE_ANSWER_MEMORY ?? defaultAnswerMemory();
    this.journalFolder = values.INFERENCE_JOURNAL ?? null;
    this.drainMs = values.INFERENCE_DRAIN_MS;
    this.tracing = endpoint ? { endpoint, sampleRatio } : null;
    this.secrets = new EnvironmentSecrets(environment);
    const { TOLLGATE_KEY_ENCRYPTION_KEY: current, TOLLGATE_KEY_ENCRYPTION_KEY_PREVIOUS: former } = values;
    this.ring = new KeyRing([...(current === undefined ? [] : [current]), ...former]);
    this.privateHosts = values.PROVIDER_PRIVATE_HOSTS;
  }
}

function defaultAnswerMemory(): number {
  // 0 where nothing bounds the process: https://nodejs.org/api/process.html#processconstrainedmemory
  const there = Math.min(process.constrainedMemory() || totalmem(), totalmem());
  return Math.min(1_073_741_824, Math.max(268_435_456, Math.floor(there / 2)));
}
