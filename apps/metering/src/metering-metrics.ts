import { collectDefaultMetrics, Counter, Registry } from 'prom-client';
import type { IngestResult } from './ingest/usage-ingest';

/** What Prometheus sees of an instance. */
export class MeteringMetrics {
  readonly registry = new Registry();
  private readonly received = this.counter(
    'tollgate_metering_events_received_total',
    'Usage events received, repetitions included.',
  );
  private readonly stored = this.counter('tollgate_metering_events_stored_total', 'Usage events stored, each once.');
  private readonly unpriced = this.counter(
    'tollgate_metering_events_unpriced_total',
    'Usage events stored without a price, because none was known.',
  );

  constructor() {
    collectDefaultMetrics({ register: this.registry });
  }

  count({ received, inserted, unpriced }: IngestResult): void {
    this.received.inc(received);
    this.stored.inc(inserted);
    this.unpriced.inc(unpriced);
  }

  private counter(name: string, help: string): Counter {
    return new Counter({ name, help, registers: [this.registry] });
  }
}
