import { ControlError, meteringOperations, usageEvent, usageStream } from '@tollgate/contracts';
import type { MetricsReport, UsageEvent } from '@tollgate/contracts';
import type { NatsConnection, Subscription } from 'nats';
import { z } from 'zod';
import { nextMonthMs } from '../admission/quota-book';
import { respond } from './control-responder';

/** Metering as an edge sees it: leases out of a quota, settled by the usage events that edge and inference publish, and reports. */
export class FakeMetering {
  private readonly held = new Map<string, { keyId: string; tokens: number }>();
  /** Tokens that each key used. */
  readonly used = new Map<string, number>();
  readonly events: UsageEvent[] = [];
  /** Set, every report and lease is refused as unavailable. */
  isAway = false;
  report: MetricsReport = {
    startAt: 0,
    endAt: 0,
    totals: { requests: 0, unpricedRequests: 0, inputTokens: 0, outputTokens: 0, costNanoUsd: '0' },
    byModel: [],
  };
  private readonly responders: Subscription[] = [];

  constructor(private readonly connection: NatsConnection) {}

  /** What the leases of a key hold; of all keys when none is named. */
  heldTokens(key?: string): number {
    const leases = [...this.held.values()].filter(({ keyId }) => key === undefined || keyId === key);
    return leases.reduce((sum, { tokens }) => sum + tokens, 0);
  }

  start(): void {
    const serve = (...subscriptions: Subscription[]) => this.responders.push(...subscriptions);
    serve(
      this.connection.subscribe(usageStream.subject, {
        callback: (_error, message) => {
          for (const event of z.array(usageEvent).parse(message.json())) this.settle(event);
        },
      }),
      respond(this.connection, meteringOperations.usage, ({ keyId, quotaTokens }) => this.record(keyId, quotaTokens)),
      respond(this.connection, meteringOperations.metrics, () => {
        this.checkPresence();
        return this.report;
      }),
      respond(this.connection, meteringOperations.acquireLease, ({ leaseId, keyId, tokens, quotaTokens }) => {
        const record = this.record(keyId, quotaTokens);
        const granted = Math.max(0, Math.min(tokens, quotaTokens - record.used - this.heldTokens(keyId)));
        this.held.set(leaseId, { keyId, tokens: (this.held.get(leaseId)?.tokens ?? 0) + granted });
        return { granted, ttlMs: 60_000, record };
      }),
      respond(this.connection, meteringOperations.renewLeases, ({ leases }) => {
        this.checkPresence();
        for (const { leaseId, giveBackTokens } of leases) {
          const lease = this.held.get(leaseId);
          if (lease) lease.tokens -= giveBackTokens;
        }
        return { renewed: leases.map(({ leaseId }) => leaseId), ttlMs: 60_000 };
      }),
    );
  }

  stop(): void {
    for (const responder of this.responders.splice(0)) responder.unsubscribe();
  }

  private settle(event: UsageEvent): void {
    this.events.push(event);
    const tokens = event.usage.input + event.usage.output;
    this.used.set(event.keyId, (this.used.get(event.keyId) ?? 0) + tokens);
    const lease = event.lease === null ? undefined : this.held.get(event.lease);
    if (lease) lease.tokens = Math.max(0, lease.tokens - tokens);
  }

  private record(keyId: string, quotaTokens: number | null) {
    this.checkPresence();
    const used = this.used.get(keyId) ?? 0;
    const remaining = quotaTokens === null ? null : Math.max(0, quotaTokens - used);
    return { used, quota: quotaTokens, remaining, resetsAt: nextMonthMs(Date.now()) };
  }

  private checkPresence(): void {
    if (this.isAway) throw new ControlError('unavailable', 'metering is away');
  }
}
