import { randomUUID } from 'node:crypto';
import { appendFileSync, closeSync, existsSync, futimesSync, mkdirSync, openSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { usageEvent, type UsageEvent } from '@tollgate/contracts';
import type { Logger } from '@tollgate/observability';
import { TransientMap } from '../../memory/transient';

/** How the names of journals end. */
export const journalSuffix = '.usage';

/**
 * `touchEveryMs`: how often the journal shows that its process lives. `maxBytes`: above this it is written
 * anew without what is over.
 */
export interface UsageJournalOptions {
  logger: Logger;
  touchEveryMs?: number;
  maxBytes?: number;
}

/** The part of a journal that those need who only note. */
export type UsageNotes = Pick<UsageJournal, 'note' | 'stored' | 'forget'>;

/**
 * Usage that JetStream has not acknowledged yet, in a file, so that it outlives this process (not the
 * machine: nothing waits for the disk). What is noted in one turn of the event loop is written at its end, to
 * a file that stays open. When the process dies, another instance on the same folder publishes what the file
 * still holds (OrphanedUsage).
 * A disk that fails costs this protection, never a request: it is logged, and all is written anew when the
 * disk is well.
 */
export class UsageJournal {
  private readonly path: string;
  private readonly live = new TransientMap<string, string>();
  private readonly timer: NodeJS.Timeout;
  private readonly logger: Logger;
  private readonly maxBytes: number;
  private readonly touchEveryMs: number;
  private unwritten: string[] = [];
  private scheduled = false;
  private bytes = 0;
  private limitBytes: number;
  private isWhole = true;
  /** The open file; null: closed. */
  private file: number | null;
  /** Epoch milliseconds: also a machine that slept shows here. */
  private touchedAt = Date.now();

  /** Makes the folder and the file. @throws Error of the file system when it cannot */
  constructor(
    readonly folder: string,
    { logger, touchEveryMs = 5_000, maxBytes = 16 * 1024 * 1024 }: UsageJournalOptions,
  ) {
    this.touchEveryMs = touchEveryMs;
    this.logger = logger;
    this.maxBytes = maxBytes;
    this.limitBytes = maxBytes;
    mkdirSync(folder, { recursive: true });
    this.path = join(folder, `${randomUUID()}${journalSuffix}`);
    this.file = openSync(this.path, 'a', 0o600);
    this.timer = setInterval(() => {
      this.flush();
      if (this.file !== null) this.touch(this.file);
    }, touchEveryMs);
    this.timer.unref();
  }

  /** Whether a file of the folder is this journal, also while it is written anew. */
  owns(name: string): boolean {
    return join(this.folder, name).startsWith(this.path);
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

  /**
   * JetStream has this event. That is written with the next note, or with the next sign of life, as a write
   * of its own is dear: an heir who publishes the event again meanwhile tells nothing new.
   */
  stored(id: string): void {
    if (this.live.delete(id)) this.unwritten.push(`${forgetLine(id)}\n`);
  }

  /** This is somebody else's to tell, or nobody's. */
  forget(id: string): void {
    if (this.live.delete(id)) this.write(forgetLine(id));
  }

  /** Writes now what this turn noted. */
  flush(): void {
    this.scheduled = false;
    const text = this.unwritten.join('');
    this.unwritten = [];
    const { file } = this;
    if (file === null || !this.isWhole || text.length === 0) return;
    if (this.bytes + text.length > this.limitBytes) this.writeAnew();
    else this.attempt(() => appendFileSync(file, text), text.length);
    // Whoever slept may have written to a file that is an heir's by now.
    if (Date.now() - this.touchedAt > 2 * this.touchEveryMs) this.touch(file);
  }

  /** Takes the file away when it holds nothing; else it stays for others. */
  close(): void {
    clearInterval(this.timer);
    this.flush();
    if (this.file !== null) closeSync(this.file);
    this.file = null;
    if (this.live.size === 0) rmSync(this.path, { force: true });
  }

  private write(line: string): void {
    this.unwritten.push(`${line}\n`);
    if (this.scheduled) return;
    this.scheduled = true;
    setImmediate(() => this.flush());
  }

  /** Whoever slept so long that its journal was taken for an orphan begins a new one. */
  private touch(file: number): void {
    this.touchedAt = Date.now();
    if (!this.isWhole || !existsSync(this.path)) this.writeAnew();
    else this.attempt(() => futimesSync(file, new Date(), new Date()), 0);
  }

  /** Under another name first: a reader sees the former file or the new one, whole. */
  private writeAnew(): void {
    const text = [...this.live.values()].map((json) => `${json}\n`).join('');
    this.bytes = 0;
    this.limitBytes = Math.max(this.maxBytes, 2 * text.length);
    this.attempt(() => this.replaceFile(text), text.length);
  }

  /** @throws Error of the file system; the former file then stays. */
  private replaceFile(text: string): void {
    const path = `${this.path}.new`;
    const file = openSync(path, 'w', 0o600);
    try {
      appendFileSync(file, text);
      renameSync(path, this.path);
    } catch (error) {
      closeSync(file);
      throw error;
    }
    if (this.file !== null) closeSync(this.file);
    this.file = file;
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

/** The line that takes an event out of a journal; every other line is an event as JSON. */
export function forgetLine(id: string): string {
  return `-${id}`;
}

/**
 * What a journal still holds: the last note of each event that was not forgotten. The last line may be cut
 * off, where its writer died.
 */
export function unfinishedEvents(text: string): UsageEvent[] {
  const events = new Map<string, UsageEvent>();
  for (const line of text.split('\n')) {
    if (line.startsWith('-')) events.delete(line.slice(1));
    else {
      const event = parseEvent(line);
      if (event) events.set(event.id, event);
    }
  }
  return [...events.values()];
}

function parseEvent(line: string): UsageEvent | null {
  try {
    return usageEvent.parse(JSON.parse(line));
  } catch {
    return null;
  }
}
