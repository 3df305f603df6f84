import { noTracer } from './tracer';
import type { Tracer } from './tracer';

/**
 * Where spans go (the base address of an OTLP receiver), and the share (0 to 1) of the traces that begin here
 * which are kept.
 */
export interface TracingSettings {
  readonly endpoint: string;
  readonly sampleRatio: number;
}

/** The tracer of a service; `settings` null: nothing is traced, and nothing of OpenTelemetry is loaded. */
export async function createTracer(service: string, settings: TracingSettings | null): Promise<Tracer> {
  if (settings === null) return noTracer;
  const { OtlpTracer } = await import('./otlp-tracer');
  return new OtlpTracer(service, settings);
}
