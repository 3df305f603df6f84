import { readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '@tollgate/observability';
import type { UsagePublisher } from '../usage-publisher';
import { journalSuffix, unfinishedEvents, type UsageJournal } from './usage-journal';

/**
 * `orphanAfterMs`: a journal that did not change for so long has lost its process; longer than edge takes to
 * report what it saw, which is more. `lookEveryMs`: longer than a process that lives leaves its own alone.
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
  /** A journal that did not change for so many looks is an orphan. */
  private readonly orphanAfterLooks: number;
  /** When each journal changed last, as its file says, and how many looks have found it so. */
  private readonly seen = new Map<string, { mtimeMs: number; looks: number }>();
  private readonly logger: Logger;
  private readonly timer: NodeJS.Timeout;
  private looking: Promise<void> = Promise.resolve();

  constructor(
    private readonly journal: UsageJournal,
    private readonly publisher: UsagePublisher,
    { logger, orphanAfterMs = 60_000, lookEveryMs = 10_000 }: OrphanedUsageOptions,
  ) {
    this.orphanAfterLooks = Math.ceil(orphanAfterMs / lookEveryMs);
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
    const names = (await readdir(folder)).filter((name) => /\.usage(?:\.new)?$/.test(name) && !this.journal.owns(name));
    for (const name of this.seen.keys()) if (!names.includes(name)) this.seen.delete(name);
    for (const name of names) {
      // Another instance may take any of them at any time.
      await this.take(folder, name).catch((error: unknown) => {
        if (!isMissing(error)) this.complain(error);
      });
    }
  }

  /**
   * Looks are counted, and no clocks compared: that of another machine may be an hour behind, this one's may
   * be set, and after a sleep of the machine others are to show first that they live.
   */
  private isOrphan(name: string, mtimeMs: number): boolean {
    const before = this.seen.get(name);
    const looks = before?.mtimeMs === mtimeMs ? before.looks + 1 : 0;
    this.seen.set(name, { mtimeMs, looks });
    return looks >= this.orphanAfterLooks;
  }

  private async take(folder: string, name: string): Promise<void> {
    const path = join(folder, name);
    if (!this.isOrphan(name, (await stat(path)).mtimeMs)) return;
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
