import { setTimeout as sleep } from 'node:timers/promises';
import { catalogOperations, type CatalogSnapshot } from '@tollgate/contracts';
import type { ControlClient } from '@tollgate/messaging';
import type { Logger } from '@tollgate/observability';

const askTimeoutMs = 2_000;
const retryMs = 1_000;

/**
 * The newest catalog snapshot. It is asked for at the start (until there is one), on each change notice and now and then;
 * while catalog is away the last one stays.
 */
export class CatalogSource {
  private snapshot: CatalogSnapshot | null = null;
  private refreshing: Promise<void> | null = null;
  private askAgain = false;
  private told = false;
  private retry: NodeJS.Timeout | undefined;
  private readonly stopped = new AbortController();

  constructor(
    private readonly control: Pick<ControlClient, 'call'>,
    private readonly logger: Logger,
    private readonly onSnapshot: (snapshot: CatalogSnapshot) => void,
  ) {}

  /** Null: none has been received yet. */
  get current(): CatalogSnapshot | null {
    return this.snapshot;
  }

  /** Resolves when there is a first snapshot (or after `stop`). Asks every second until then. */
  async first(): Promise<void> {
    for (;;) {
      await this.refresh();
      if (this.snapshot || this.stopped.signal.aborted) return;
      // Rejects only by `stop`, which the next turn sees.
      await sleep(retryMs, undefined, { signal: this.stopped.signal }).catch(() => undefined);
    }
  }

  /** Asks for the snapshot. A call that comes while one is under way makes it ask once more. Never rejects. */
  refresh(): Promise<void> {
    if (this.refreshing) this.askAgain = true;
    else this.refreshing = this.ask().finally(() => (this.refreshing = null));
    return this.refreshing ?? Promise.resolve();
  }

  /** A change notice: asks only for what is not held already. */
  noticed(revision: number): void {
    if (revision !== this.snapshot?.revision) void this.refresh();
  }

  stop(): void {
    this.stopped.abort();
    clearTimeout(this.retry);
  }

  private async ask(): Promise<void> {
    clearTimeout(this.retry);
    do {
      this.askAgain = false;
      try {
        this.snapshot = await this.control.call(catalogOperations.snapshot, {}, { timeoutMs: askTimeoutMs });
        this.onSnapshot(this.snapshot);
      } catch (error) {
        this.tell(error);
        // The notice that made it ask does not come again.
        this.askSoon();
      }
    } while (this.askAgain && !this.stopped.signal.aborted);
  }

  /** Before the first snapshot `first` does. */
  private askSoon(): void {
    clearTimeout(this.retry);
    if (this.snapshot && !this.stopped.signal.aborted)
      this.retry = setTimeout(() => void this.refresh(), retryMs).unref();
  }

  /** At a start of everything catalog is still on its way: that is said once, and not with a stack each second. `/readyz` names it as missing. */
  private tell(error: unknown): void {
    if (this.snapshot) this.logger.warn({ err: error }, 'catalog did not answer; the last snapshot stays in use');
    else if (!this.told) this.logger.info(`waiting for the first snapshot: ${String(error)}`);
    this.told = true;
  }
}
