import { ControlError, meteringOperations } from '@tollgate/contracts';
import type { MetricsReport } from '@tollgate/contracts';
import type { NatsConnection, Subscription } from 'nats';
import { nextMonthMs } from '../admission/quota-book';
import { respond } from './control-responder';

/** Metering as an edge sees it: leases out of a quota, and reports. It settles nothing by itself. */
export class FakeMetering {
  readonly held = new Map<string, number>();
  used = 0;
  acquired = 0;
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

  get heldTokens(): number {
    return [...this.held.values()].reduce((sum, tokens) => sum + tokens, 0);
  }

  start(): void {
    const serve = (...subscriptions: Subscription[]) => this.responders.push(...subscriptions);
    serve(
      respond(this.connection, meteringOperations.usage, ({ quotaTokens }) => this.record(quotaTokens)),
      respond(this.connection, meteringOperations.metrics, () => {
        this.checkPresence();
        return this.report;
      }),
      respond(this.connection, meteringOperations.acquireLease, ({ leaseId, tokens, quotaTokens }) => {
        const record = this.record(quotaTokens);
        const granted = Math.max(0, Math.min(tokens, quotaTokens - this.used - this.heldTokens));
        this.acquired += 1;
        this.held.set(leaseId, (this.held.get(leaseId) ?? 0) + granted);
        return { granted, ttlMs: 60_000, record };
      }),
      respond(this.connection, meteringOperations.renewLeases, ({ leases }) => {
        this.checkPresence();
        for (const { leaseId, giveBackTokens, close } of leases) {
          if (close) this.held.delete(leaseId);
          else this.held.set(leaseId, (this.held.get(leaseId) ?? 0) - giveBackTokens);
        }
        return { renewed: leases.map(({ leaseId }) => leaseId), ttlMs: 60_000 };
      }),
    );
  }

  stop(): void {
    for (const responder of this.responders.splice(0)) responder.unsubscribe();
  }

  private record(quotaTokens: number | null) {
    this.checkPresence();
    const remaining = quotaTokens === null ? null : Math.max(0, quotaTokens - this.used);
    return { used: this.used, quota: quotaTokens, remaining, resetsAt: nextMonthMs(Date.now()) };
  }

  private checkPresence(): void {
    if (this.isAway) throw new ControlError('unavailable', 'metering is away');
  }
}
