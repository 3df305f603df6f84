import type { DialectName } from '@tollgate/contracts';
import type { UpstreamTarget } from '../provider-dialect';

/**
 * What an embedding endpoint other than OpenAI's is asked. `dimensions` undefined: as many as the model has.
 */
interface EmbeddingTask {
  texts: readonly string[];
  dimensions: number | undefined;
  /** Fields of the caller that OpenAI's format does not name. */
  extra: Readonly<Record<string, unknown>>;
}

/** What it answered, in the order of the texts. `inputTokens` null: it told none. */
interface EmbeddingAnswer {
  vectors: number[][];
  inputTokens: number | null;
}

/** How one provider dialect embeds texts. Pure, no I/O. */
export interface EmbeddingCodec {
  readonly provider: DialectName;
  /**
   * Names of the fields in `EmbeddingTask.extra` that `toRequest` takes; the others are dropped with a
   * warning.
   */
  readonly takesExtra: readonly string[];
  /** `path` is appended to the base URL. @throws GatewayError 400 naming what this provider cannot do. */
  toRequest(task: EmbeddingTask, target: UpstreamTarget): { path: string; body: object };
  /** Reads a whole answer; null when it is none. */
  fromAnswer(value: unknown): EmbeddingAnswer | null;
}
