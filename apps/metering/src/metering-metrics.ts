import { Injectable } from '@nestjs/common';
import { Counter, Gauge, Registry } from 'prom-client';
import type { IngestResult } from './ingest/usage-ingest';
import type { Unsettled } from './ledger/unsettled-leases';

/** What Prometheus sees of an instance. */
@Injectable()
export class MeteringMetrics {
  private readonly received: Counter;
  private readonly stored: Counter;
  private readonly unpriced: Counter;
  private readonly unsettledLeases: Gauge;
  private readonly unsettledTokens: Gauge;
  private readonly cost: Counter;
  private readonly told: Counter<'provider'>;
  private readonly rated: Counter<'provider'>;
  private readonly lastStored: Gauge;

  constructor(private readonly registry: Registry) {
    this.received = this.counter(
      'tollgate_metering_events_received_total',
      'Usage events received, repetitions included.',
    );
    this.stored = this.counter('tollgate_metering_events_stored_total', 'Usage events stored, each once.');
    this.unpriced = this.counter(
      'tollgate_metering_events_unpriced_total',
      'Usage events stored without a price, because none was known.',
    );
    this.unsettledLeases = this.gauge(
      'tollgate_metering_unsettled_leases',
      'Quota leases that ended holding tokens which no usage event settled: usage may be missing.',
    );
    this.unsettledTokens = this.gauge(
      'tollgate_metering_unsettled_tokens',
      'Tokens of those leases: at most so many were used without an event.',
    );
    this.cost = this.counter(
      'tollgate_metering_cost_usd_total',
      'What the usage events stored cost, US dollars; for watching, not for billing: the ledger is exact.',
    );
    this.told = this.counterOf(
      'tollgate_metering_told_usd_total',
      'What providers say in their answers that they charge, US dollars.',
    );
    this.rated = this.counterOf(
      'tollgate_metering_told_rated_usd_total',
      'What our prices make of the very requests whose provider told its charge, US dollars.',
    );
    this.lastStored = this.gauge(
      'tollgate_metering_last_stored_timestamp_seconds',
      'When usage events were stored last (epoch); 0: not since the start.',
    );
  }

  count({ received, inserted, unpriced, costNanoUsd, told }: IngestResult): void {
    this.received.inc(received);
    this.stored.inc(inserted);
    this.unpriced.inc(unpriced);
    // An answer may cost less than what was estimated of it before.
    this.cost.inc(Math.max(0, Number(costNanoUsd) / 1e9));
    for (const { provider, toldUsd, ratedUsd } of told) {
      this.told.inc({ provider }, toldUsd);
      this.rated.inc({ provider }, ratedUsd);
    }
    if (inserted > 0) this.lastStored.setToCurrentTime();
  }

  showUnsettled({ count, tokens }: Unsettled): void {
    this.unsettledLeases.set(count);
    this.unsettledTokens.set(tokens);
  }

  private gauge(name: string, help: string): Gauge {
    return new Gauge({ name, help, registers: [this.registry] });
  }

  private counterOf(name: string, help: string): Counter<'provider'> {
    return new Counter({ name, help, labelNames: ['provider'], registers: [this.registry] });
  }

  private counter(name: string, help: string): Counter {
    return new Counter({ name, help, registers: [this.registry] });
  }
}
