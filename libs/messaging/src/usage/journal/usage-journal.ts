import { randomUUID } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from '@tollgate/observability';
import { forgetLine, journalSuffix } from './journal-lines';

/** `touchEveryMs`: how often the journal shows that its process lives. `maxBytes`: above this it is written anew without what is over. */
export interface UsageJournalOptions {
  logger: Logger;
  touchEveryMs?: number;
  maxBytes?: number;
}

/** The part of a journal that those need who only note. */
export type UsageNotes = Pick<UsageJournal, 'note' | 'forget'>;

/**
 * Usage that JetStream has not acknowledged yet, in a file, so that it outlives this process (not the machine: nothing waits for the disk). What is noted in one turn of
 * the event loop is written at its end. When the process dies, another instance on the same folder publishes what the file still holds (OrphanedUsage).
 * A disk that fails costs this protection, never a request: it is logged, and all is written anew when the disk is well.
 */
export class UsageJournal {
  private readonly path: string;
  private readonly live = new Map<string, string>();
  private readonly timer: NodeJS.Timeout;
  private readonly logger: Logger;
  private readonly maxBytes: number;
  private unwritten: string[] = [];
  private scheduled = false;
  private bytes = 0;
  private limitBytes: number;
  private isWhole = true;

  /** Makes the folder and the file. @throws Error of the file system when it cannot */
  constructor(
    readonly folder: string,
    { logger, touchEveryMs = 5_000, maxBytes = 16 * 1024 * 1024 }: UsageJournalOptions,
  ) {
    this.logger = logger;
    this.maxBytes = maxBytes;
    this.limitBytes = maxBytes;
    mkdirSync(folder, { recursive: true });
    this.path = join(folder, `${randomUUID()}${journalSuffix}`);
    writeFileSync(this.path, '', { mode: 0o600 });
    this.timer = setInterval(() => this.touch(), touchEveryMs);
    this.timer.unref();
  }

  /** Events that are noted and not forgotten. */
  get size(): number {
    return this.live.size;
  }

  /** Notes an event, or what is known of one so far: the last note counts. `json` is one line. */
  note(id: string, json: string): void {
    this.live.set(id, json);
    this.write(json);
  }

  /** These are stored, or somebody else's. */
  forget(id: string): void {
    if (this.live.delete(id)) this.write(forgetLine(id));
  }

  /** Writes now what this turn noted. */
  flush(): void {
    this.scheduled = false;
    const text = this.unwritten.join('');
    this.unwritten = [];
    if (!this.isWhole || text.length === 0) return;
    if (this.bytes + text.length > this.limitBytes) this.writeAnew();
    else this.attempt(() => appendFileSync(this.path, text), text.length);
  }

  /** Takes the file away when it holds nothing; else it stays for others. */
  close(): void {
    clearInterval(this.timer);
    this.flush();
    if (this.live.size === 0) rmSync(this.path, { force: true });
  }

  private write(line: string): void {
    this.unwritten.push(`${line}\n`);
    if (this.scheduled) return;
    this.scheduled = true;
    setImmediate(() => this.flush());
  }

  /** Whoever slept so long that its journal was taken for an orphan begins a new one. */
  private touch(): void {
    if (!this.isWhole || !existsSync(this.path)) this.writeAnew();
    else this.attempt(() => utimesSync(this.path, new Date(), new Date()), 0);
  }

  /** Under another name first: a reader sees the former file or the new one, whole. */
  private writeAnew(): void {
    const text = [...this.live.values()].map((json) => `${json}\n`).join('');
    this.bytes = 0;
    this.limitBytes = Math.max(this.maxBytes, 2 * text.length);
    this.attempt(() => {
      writeFileSync(`${this.path}.new`, text, { mode: 0o600 });
      renameSync(`${this.path}.new`, this.path);
    }, text.length);
  }

  private attempt(work: () => void, bytes: number): void {
    try {
      work();
      this.bytes += bytes;
      this.isWhole = true;
    } catch (error) {
      if (this.isWhole)
        this.logger.error({ err: error }, 'usage under way cannot be noted on the disk; it is kept in memory only');
      this.isWhole = false;
    }
  }
}
