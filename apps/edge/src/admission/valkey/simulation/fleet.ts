import type { EdgeLimitsLoan, EdgeLimitsNotice } from '@tollgate/contracts/edge';
import { createLogger } from '@tollgate/observability';
import { Registry } from 'prom-client';
import type { EdgeLink } from '../edge-link';
import { LimitMetrics } from '../limit-metrics';
import { ValkeyRateLimitStore } from '../valkey-rate-limit-store';
import { Chance } from '@tollgate/testing';
import { SimulatedLog, SimulatedValkey } from './simulated-valkey';
import { VirtualClock, VirtualTime } from './virtual-time';

const logger = createLogger('edge', 'silent');
const loanTimeoutMs = 250;

/** One request that asked for a unit. `answeredMs` and `admitted` null: it still waits. */
export interface Asked {
  readonly edge: number;
  readonly keyId: string;
  readonly askedMs: number;
  answeredMs: number | null;
  admitted: boolean | null;
  unit: number | null;
  isBack: boolean;
}

export interface SimulatedEdge {
  readonly id: string;
  readonly clock: VirtualClock;
  readonly log: SimulatedLog;
  readonly store: ValkeyRateLimitStore;
  /** Until then nothing comes to it or goes from it; what was sent meanwhile then comes, if `isHeld`. */
  cutUntilMs: number;
  isHeld: boolean;
  isGone: boolean;
  isBusy: boolean;
}

/** How the edges' bus misbehaves, beside being slow. */
export interface BusFaults {
  readonly slowestMs: number;
  readonly doubled: number;
  readonly outOfOrder: boolean;
}

/** Edges with the real limiter, over a simulated bus and a simulated Valkey, in virtual time. */
export class SimulatedFleet {
  readonly time = new VirtualTime();
  readonly valkey = new SimulatedValkey(this.time);
  readonly edges: SimulatedEdge[] = [];
  readonly asked: Asked[] = [];
  /** How many the edges have told. */
  notices = 0;
  private readonly lastDelivery = new Map<string, number>();

  constructor(
    readonly chance: Chance,
    private readonly faults: BusFaults,
  ) {}

  /** A new edge begins to start. Resolves when it may be asked. */
  async start(): Promise<void> {
    const { chance, time } = this;
    const clock = new VirtualClock(time, chance.between(0, 1e7), 1.7e12);
    const log = new SimulatedLog(this.valkey, time, clock, chance);
    const id = `edge-${this.edges.length}`;
    const link: EdgeLink = {
      tell: (notice) => this.tell(id, notice),
      borrow: (edgeId, keyId, limit) => this.borrow(id, edgeId, keyId, limit),
    };
    const store = new ValkeyRateLimitStore(id, log, link, clock, new LimitMetrics(new Registry()), logger);
    // What else is put into Valkey takes its time, and requests come meanwhile.
    store.beforeJoining(() => clock.sleep(100));
    const edge = { id, clock, log, store, cutUntilMs: -Infinity, isHeld: false, isGone: false, isBusy: true };
    this.edges.push(edge);
    await store.onModuleInit();
    edge.isBusy = false;
  }

  /** SIGTERM: it says that it leaves. */
  stop(edge: SimulatedEdge): void {
    edge.store.onApplicationShutdown();
    edge.isGone = true;
  }

  /** SIGKILL. */
  kill(edge: SimulatedEdge): void {
    edge.clock.freeze(Infinity);
    edge.log.close();
    edge.isGone = true;
  }

  /** Asks one edge for a unit of a key. */
  ask(edge: SimulatedEdge, keyId: string, limit: number): Asked {
    const asked: Asked = {
      edge: this.edges.indexOf(edge),
      keyId,
      askedMs: this.time.nowMs,
      answeredMs: null,
      admitted: null,
      unit: null,
      isBack: false,
    };
    this.asked.push(asked);
    edge.clock.wake(() => {
      Promise.resolve(edge.store.take(keyId, limit)).then(
        ({ admitted, unit }) => Object.assign(asked, { answeredMs: this.time.nowMs, admitted, unit }),
        () => Object.assign(asked, { answeredMs: this.time.nowMs, admitted: false }),
      );
    });
    return asked;
  }

  giveBack(asked: Asked): void {
    const edge = this.edges[asked.edge];
    if (!edge || edge.isGone || asked.unit === null) return;
    asked.isBack = true;
    edge.store.giveBack(asked.keyId, asked.unit);
  }

  private tell(from: string, notice: EdgeLimitsNotice): void {
    this.notices += 1;
    const copy = structuredClone(notice);
    for (const to of this.edges) {
      this.send(from, to, () => to.store.hear(copy));
      if (this.chance.happens(this.faults.doubled)) this.send(from, to, () => to.store.hear(copy));
    }
  }

  /** A question and its answer; null: none in time. */
  private borrow(from: string, edgeId: string, keyId: string, limit: number): Promise<EdgeLimitsLoan | null> {
    const lender = this.edges.find(({ id }) => id === edgeId);
    const borrower = this.edges.find(({ id }) => id === from);
    return new Promise((resolve) => {
      borrower?.clock.after(loanTimeoutMs, () => resolve(null));
      if (!lender || !borrower) return;
      this.send(from, lender, () => {
        void lender.store.lend(keyId, limit).then((loan) => this.send(edgeId, borrower, () => resolve(loan)));
      });
    });
  }

  private send(from: string, to: SimulatedEdge, arrive: () => void): void {
    const sender = this.edges.find(({ id }) => id === from);
    if (!sender) return;
    const { nowMs } = this.time;
    const isLost = (edge: SimulatedEdge) => edge.isGone || (nowMs < edge.cutUntilMs && !edge.isHeld);
    if (sender !== to && isLost(to)) return;
    if (isLost(sender) && !sender.isGone) return;
    const freeMs = Math.max(nowMs, sender.cutUntilMs, to.cutUntilMs);
    const isSlow = this.chance.happens(0.02);
    const due = freeMs + this.chance.between(0.1, isSlow ? this.faults.slowestMs : 2);
    const way = `${from}>${to.id}`;
    const atMs = this.faults.outOfOrder ? due : Math.max(due, this.lastDelivery.get(way) ?? 0);
    this.lastDelivery.set(way, atMs);
    this.time.at(atMs, () => {
      if (!to.isGone) to.clock.wake(arrive);
    });
  }
}
