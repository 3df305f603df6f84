import { Injectable } from '@nestjs/common';
import { Counter, Gauge, Registry } from 'prom-client';
import type { IngestResult } from './ingest/usage-ingest';
import type { Unsettled } from './ledger/unsettled-leases';

/**
 * How the newest bill of a provider stands to ours, US dollars. `unread`: its days that could not be read.
 */
export interface ShownBill {
  provider: string;
  billedUsd: number;
  driftUsd: number;
  estimatedUsd: number;
  unread: number;
}

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
  private readonly unbilled: Counter<'provider'>;
  private readonly lastStored: Gauge;
  private readonly billed: Gauge<'provider'>;
  private readonly drift: Gauge<'provider'>;
  private readonly estimated: Gauge<'provider'>;
  private readonly unread: Gauge<'provider'>;
  private readonly staleBlocks: Gauge;
  private readonly blocksPutOff: Gauge;

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
    this.unbilled = this.counterOf(
      'tollgate_metering_unbilled_usd_total',
      'What providers may charge, by our prices, for attempts whose caller does not pay, US dollars.',
    );
    this.billed = this.gaugeOf(
      'tollgate_metering_billed_usd',
      'What the newest bill of a provider that was read or imported says of its day, US dollars.',
    );
    this.drift = this.gaugeOf(
      'tollgate_metering_bill_drift_usd',
      'How far that day is from what our prices make of it for certain: the differences of its models, each without its sign, US dollars.',
    );
    this.estimated = this.gaugeOf(
      'tollgate_metering_bill_estimated_usd',
      'What more of that day our side would explain: attempts that nobody pays, whose provider did not tell what they used, US dollars.',
    );
    this.unread = this.gaugeOf(
      'tollgate_metering_bills_unread',
      'Days of the last two weeks whose bill could not be read from a provider that tells its costs.',
    );
    this.staleBlocks = this.gauge(
      'tollgate_metering_blocks_stale',
      'Blocks of days whose rows reports read: late usage changed them, or they are not added up yet.',
    );
    this.blocksPutOff = this.gauge(
      'tollgate_metering_blocks_put_off',
      'Of those, blocks that were tried three times or more, and took too long or were changed each time.',
    );
    this.lastStored = this.gauge(
      'tollgate_metering_last_stored_timestamp_seconds',
      'When usage events were stored last (epoch); 0: not since the start.',
    );
  }

  count({ received, inserted, unpriced, costNanoUsd, told, unbilled }: IngestResult): void {
    this.received.inc(received);
    this.stored.inc(inserted);
    this.unpriced.inc(unpriced);
    // An answer may cost less than what was estimated of it before.
    this.cost.inc(Math.max(0, Number(costNanoUsd) / 1e9));
    for (const { provider, toldUsd, ratedUsd } of told) {
      this.told.inc({ provider }, toldUsd);
      this.rated.inc({ provider }, ratedUsd);
    }
    for (const { provider, usd } of unbilled) this.unbilled.inc({ provider }, usd);
    if (inserted > 0) this.lastStored.setToCurrentTime();
  }

  showUnsettled({ count, tokens }: Unsettled): void {
    this.unsettledLeases.set(count);
    this.unsettledTokens.set(tokens);
  }

  /** All instances show the same: take the maximum of them. */
  showBlocks({ stale, putOff }: { stale: number; putOff: number }): void {
    this.staleBlocks.set(stale);
    this.blocksPutOff.set(putOff);
  }

  /** All instances show the same: take the maximum of them. */
  showBills(bills: readonly ShownBill[]): void {
    for (const { provider, billedUsd, driftUsd, estimatedUsd, unread } of bills) {
      this.billed.set({ provider }, billedUsd);
      this.drift.set({ provider }, driftUsd);
      this.estimated.set({ provider }, estimatedUsd);
      this.unread.set({ provider }, unread);
    }
  }

  private gaugeOf(name: string, help: string): Gauge<'provider'> {
    return new Gauge({ name, help, labelNames: ['provider'], registers: [this.registry] });
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
