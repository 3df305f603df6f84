import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import { percentiles } from '../percentiles';
import type { LoadJob, LoadResult } from './job';
import { TimedExchange } from './timed-exchange';

/** Connections that paced load may use; at 200 requests a second a handful are busy. */
const pacedConnections = 64;

/** One job at one target. */
export class LoadRun {
  private readonly pool: Pool;
  private readonly path: string;
  private readonly body: Buffer;
  private readonly exchanges: TimedExchange[] = [];
  private readonly startedAt = performance.now();
  private open = 0;
  private closed: () => void = () => undefined;

  constructor(private readonly job: LoadJob) {
    const { origin, pathname } = new URL(job.url);
    const connections = job.kind === 'paced' ? pacedConnections : job.connections;
    this.pool = new Pool(origin, { connections, pipelining: 1, headersTimeout: 60_000, bodyTimeout: 60_000 });
    this.path = pathname;
    this.body = Buffer.from(job.body);
  }

  /** Resolves when every request is over. */
  async run(): Promise<LoadResult> {
    const allClosed = new Promise<void>((resolve) => (this.closed = resolve));
    // Held open so that the end is not taken for reached while the next request is still to come.
    this.open += 1;
    await this.begin();
    this.left();
    await allClosed;
    await this.pool.close();
    return this.result();
  }

  private async begin(): Promise<void> {
    const { job } = this;
    if (job.kind === 'paced') return this.pace(job.ratePerS, job.durationS);
    const again = job.kind === 'saturated' ? this.startedAt + job.durationS * 1_000 : 0;
    for (let i = 0; i < job.connections; i++) this.askUntil(again);
    if (job.kind === 'saturated') await sleep(job.durationS * 1_000);
  }

  /**
   * Sends what is due by now, a millisecond at a time. A late timer is made up for, so that the rate holds.
   */
  private async pace(ratePerS: number, durationS: number): Promise<void> {
    let sent = 0;
    for (;;) {
      const elapsedS = (performance.now() - this.startedAt) / 1_000;
      if (elapsedS >= durationS) return;
      for (const due = Math.floor(elapsedS * ratePerS); sent < due; sent++) this.ask(() => undefined);
      await sleep(1);
    }
  }

  private askUntil(time: number): void {
    this.ask((exchange) => {
      if (performance.now() >= time) return;
      // A target that refuses at once must not be asked in a busy loop.
      if (exchange.error === null) this.askUntil(time);
      else setTimeout(() => this.askUntil(time), 50);
    });
  }

  private ask(then: (exchange: TimedExchange) => void): void {
    this.open += 1;
    const { headers } = this.job;
    const exchange = new TimedExchange((finished) => {
      this.exchanges.push(finished);
      then(finished);
      this.left();
    });
    this.pool.dispatch({ method: 'POST', path: this.path, headers, body: this.body }, exchange);
  }

  private left(): void {
    this.open -= 1;
    if (this.open === 0) this.closed();
  }

  private result(): LoadResult {
    const good = this.exchanges.filter(({ error }) => error === null);
    return {
      requests: good.length,
      errors: this.exchanges.length - good.length,
      firstError: this.exchanges.find(({ error }) => error !== null)?.error ?? null,
      chunks: good.reduce((sum, { chunks }) => sum + chunks, 0),
      elapsedS: (performance.now() - this.startedAt) / 1_000,
      latencyMs: percentiles(good.map(({ latencyMs }) => latencyMs)),
      firstByteMs: percentiles(good.map(({ firstByteMs }) => firstByteMs)),
    };
  }
}
