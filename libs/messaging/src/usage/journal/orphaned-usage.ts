import { readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '@tollgate/observability';
import type { UsagePublisher } from '../usage-publisher';
import { journalSuffix, unfinishedEvents, type UsageJournal } from './usage-journal';

/**
 * `orphanAfterMs`: a journal that was not touched for so long has lost its process; longer than edge takes to
 * report what it saw, which is more.
 */
export interface OrphanedUsageOptions {
  logger: Logger;
  orphanAfterMs?: number;
  lookEveryMs?: number;
}

/**
 * Publishes what processes that died had noted in the journals of one folder. Of several instances that look,
 * one gets a journal (it is renamed first), and one that dies meanwhile leaves it to the next. An event that
 * somebody told before is the same event: metering counts it once.
 */
export class OrphanedUsage {
  /** Events that were published for others. */
  published = 0;
  private readonly orphanAfterMs: number;
  private readonly logger: Logger;
  private readonly timer: NodeJS.Timeout;
  private looking: Promise<void> = Promise.resolve();

  constructor(
    private readonly journal: UsageJournal,
    private readonly publisher: UsagePublisher,
    { logger, orphanAfterMs = 60_000, lookEveryMs = 10_000 }: OrphanedUsageOptions,
  ) {
    this.orphanAfterMs = orphanAfterMs;
    this.logger = logger;
    this.timer = setInterval(() => void this.look(), lookEveryMs);
    this.timer.unref();
  }

  /** Looks once, after what is being looked at. Never rejects. */
  look(): Promise<void> {
    this.looking = this.looking.then(() => this.takeAll()).catch((error: unknown) => this.complain(error));
    return this.looking;
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.looking;
  }

  private async takeAll(): Promise<void> {
    const { folder } = this.journal;
    for (const name of await readdir(folder)) {
      if (!/\.usage(?:\.new)?$/.test(name)) continue;
      // Another instance may take any of them at any time.
      await this.take(join(folder, name)).catch((error: unknown) => {
        if (!isMissing(error)) this.complain(error);
      });
    }
  }

  private async take(path: string): Promise<void> {
    if (Date.now() - (await stat(path)).mtimeMs < this.orphanAfterMs) return;
    // Begun anew by a process that died over it: the former file is whole.
    if (path.endsWith('.new')) return rm(path, { force: true });
    const mine = path.replace(/(?:\.taken-\d+)?\.usage$/, `.taken-${Date.now()}${journalSuffix}`);
    await rename(path, mine);
    await utimes(mine, new Date(), new Date());
    const events = unfinishedEvents(await readFile(mine, 'utf8'));
    // Published, they are in this process's own journal until they are stored.
    for (const event of events) this.publisher.publish(event);
    this.journal.flush();
    await rm(mine, { force: true });
    this.published += events.length;
    if (events.length > 0) this.logger.warn({ events: events.length }, 'usage of a process that died was published');
  }

  private complain(error: unknown): void {
    this.logger.error({ err: error }, 'journals of usage could not be looked at');
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
