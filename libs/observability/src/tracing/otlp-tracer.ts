import {
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Span as RecordedSpan,
  type Tracer as RecordingTracer,
  type SpanContext,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace-base';
import type { TracingSettings } from './create-tracer';
import { Tracer, type Span, type SpanAttributes } from './tracer';

/** An end of the process waits so long for the collector, milliseconds. */
const shutdownMs = 3_000;

const kinds = { server: SpanKind.SERVER, client: SpanKind.CLIENT };

/**
 * Sends spans to a collector in batches (OTLP over HTTP, JSON). A collector that is away costs spans, never
 * requests: the queue is bounded.
 */
export class OtlpTracer extends Tracer {
  readonly isOn = true;
  private readonly provider: BasicTracerProvider;
  private readonly tracer: RecordingTracer;

  constructor(service: string, { endpoint, sampleRatio }: TracingSettings) {
    super();
    const exporter = new OTLPTraceExporter({ url: `${endpoint.replace(/\/+$/, '')}/v1/traces` });
    this.provider = new BasicTracerProvider({
      resource: resourceFromAttributes({ 'service.name': `tollgate-${service}`, 'service.namespace': 'tollgate' }),
      // Who calls with a traceparent has decided already; the ratio is for traces that begin here.
      sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(sampleRatio) }),
      spanProcessors: [new BatchSpanProcessor(exporter)],
    });
    this.tracer = this.provider.getTracer('tollgate');
  }

  start(name: string, kind: 'server' | 'client', parent: string | null, attributes: SpanAttributes): Span {
    const parentSpan = parent === null ? null : fromTraceparent(parent);
    const context = parentSpan ? trace.setSpanContext(ROOT_CONTEXT, parentSpan) : ROOT_CONTEXT;
    return new OtlpSpan(this.tracer.startSpan(name, { kind: kinds[kind], attributes }, context));
  }

  async shutdown(): Promise<void> {
    let giveUp: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => (giveUp = setTimeout(resolve, shutdownMs)));
    // Spans that cannot be sent any more are lost; nobody is left to be told.
    await Promise.race([this.provider.shutdown().catch(() => undefined), late]);
    clearTimeout(giveUp);
  }
}

class OtlpSpan implements Span {
  readonly traceparent: string;

  constructor(private readonly span: RecordedSpan) {
    this.traceparent = toTraceparent(span.spanContext());
  }

  set(attributes: SpanAttributes): void {
    this.span.setAttributes(attributes);
  }

  fail(type: string): void {
    this.span.setAttribute('error.type', type);
    this.span.setStatus({ code: SpanStatusCode.ERROR });
  }

  end(): void {
    this.span.end();
  }
}

/**
 * Version 00 of https://www.w3.org/TR/trace-context/#traceparent-header; ids of nothing but zeros are not
 * valid.
 */
const form = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/;

/** Reads a traceparent; null when it is not valid. */
export function fromTraceparent(traceparent: string): SpanContext | null {
  const [, traceId, spanId, flags] = form.exec(traceparent) ?? [];
  if (!traceId || !spanId || !flags) return null;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
}

/** Writes a traceparent. */
export function toTraceparent({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${(traceFlags & 1).toString(16).padStart(2, '0')}`;
}
