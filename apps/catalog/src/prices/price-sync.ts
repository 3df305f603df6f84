import type { Logger } from '@tollgate/observability';
import { setTimeout as delay } from 'node:timers/promises';
import type { PriceOrigins } from './imported-price';

const retryMs = 2_000;

/** Writes price sheets into Postgres (`write`), and tries again every two seconds while that fails: the catalog does not wait for it. */
export class PriceSync {
  private wanted: { origins: PriceOrigins; at: number } | null = null;
  private running: Promise<void> | null = null;
  private readonly stopped = new AbortController();

  constructor(
    private readonly write: (origins: PriceOrigins, at: number) => Promise<{ ended: number; begun: number }>,
    private readonly logger: Logger,
  ) {}

  /** False while sheets wait to be written. */
  get isDone(): boolean {
    return this.wanted === null;
  }

  /** Takes the sheets that came into force at `at` (epoch milliseconds). Newer ones take the place of those that still wait. */
  record(origins: PriceOrigins, at: number): void {
    this.wanted = { origins, at };
    this.running ??= this.run().finally(() => (this.running = null));
  }

  /** Ends the trying; resolves when a write that runs has ended. */
  async stop(): Promise<void> {
    this.stopped.abort();
    await this.running;
  }

  private async run(): Promise<void> {
    while (this.wanted && !this.stopped.signal.aborted) {
      const task = this.wanted;
      try {
        const changes = await this.write(task.origins, task.at);
        if (this.wanted === task) this.wanted = null;
        this.logger.info({ models: task.origins.priced.length, ...changes }, 'prices are in the database');
      } catch (error) {
        this.logger.warn({ err: error }, 'prices could not be written; trying again in two seconds');
        await delay(retryMs, undefined, { signal: this.stopped.signal }).catch(() => undefined);
      }
    }
  }
}
