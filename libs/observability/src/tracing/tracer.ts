/** What is told of a span. Names come from the semantic conventions of OpenTelemetry. */
export type SpanAttributes = Record<string, string | number | boolean>;

/** One piece of work within a trace. */
export interface Span {
  /**
   * Names this span as the parent of others, in the form of
   * https://www.w3.org/TR/trace-context/#traceparent-header; null: nothing is traced.
   */
  readonly traceparent: string | null;
  set(attributes: SpanAttributes): void;
  /** The work failed; `type` is a short code of a bounded set. */
  fail(type: string): void;
  end(): void;
}

/**
 * Makes spans. Whoever would have to build something for a span asks `isOn` first, so that tracing costs
 * nothing while it is off.
 */
export abstract class Tracer {
  abstract readonly isOn: boolean;

  /** Begins a span below `parent` (a traceparent); null begins a trace. */
  abstract start(name: string, kind: 'server' | 'client', parent: string | null, attributes: SpanAttributes): Span;

  /** Sends what is left. Never rejects, and takes at most a few seconds. */
  abstract shutdown(): Promise<void>;
}

/** The span of work that is not traced. */
export const noSpan: Span = {
  traceparent: null,
  set: () => undefined,
  fail: () => undefined,
  end: () => undefined,
};

/** Traces nothing. */
export const noTracer: Tracer = { isOn: false, start: () => noSpan, shutdown: async () => undefined };
