import { setTimeout as delay } from 'node:timers/promises';
import { Balancer } from './balancer';
import type { Outcome } from './exchange';
import type { PlannedRequest } from './planned-request';

/**
 * So many seconds of requests may be without an answer, which is longer than any strike; a machine that is
 * too slow for more gets no more, for it would answer none of them.
 */
const mostUnderWayS = 5;
/** What came late is made up for, but for no more than this: a long pause is no burst. */
const mostLateMs = 1_000;

/**
 * Sends requests at a steady rate, whatever becomes of them: a caller out there does not wait for a gateway
 * to recover.
 */
export class Load {
  readonly outcomes: Outcome[] = [];
  private readonly running = new Map<PlannedRequest, Promise<void>>();
  private held: Promise<void> | null = null;
  private sentCount = 0;
  private readonly balancer: Balancer;

  constructor(
    /** All edges, which are asked in turn, or what chooses among them. */
    edges: readonly string[] | Balancer,
    private readonly apiKey: string,
    private readonly perSecond: number,
  ) {
    this.balancer = edges instanceof Balancer ? edges : new Balancer(edges);
  }

  get sent(): number {
    return this.sentCount;
  }

  /** Requests without an answer yet. */
  get underWay(): PlannedRequest[] {
    return [...this.running.keys()];
  }

  get inFlight(): number {
    return this.running.size;
  }

  /** Sends them all and waits for the last answer. */
  async run(requests: Iterable<PlannedRequest>): Promise<void> {
    let dueAt = Date.now();
    for (const request of requests) {
      await this.held;
      while (this.running.size >= mostUnderWayS * this.perSecond) await Promise.race(this.running.values());
      dueAt = Math.max(dueAt, Date.now() - mostLateMs);
      if (dueAt > Date.now()) await delay(dueAt - Date.now());
      this.send(request);
      dueAt += 1_000 / this.perSecond;
    }
    await Promise.all(this.running.values());
  }

  /** Sends nothing new while `work` runs; what is under way goes on. */
  async holdDuring(work: () => Promise<void>): Promise<void> {
    let release: () => void = () => undefined;
    this.held = new Promise((resolve) => (release = resolve));
    try {
      await work();
    } finally {
      this.held = null;
      release();
    }
  }

  private send(request: PlannedRequest): void {
    this.sentCount += 1;
    const running = this.balancer.ask(this.apiKey, request).then((outcome) => {
      this.outcomes.push(outcome);
      this.running.delete(request);
    });
    this.running.set(request, running);
  }
}
