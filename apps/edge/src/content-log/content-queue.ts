import { ControlError } from '@tollgate/contracts';
import type { NewLoggedContent } from '@tollgate/contracts/metering';
import { leavesToOthers } from '@tollgate/messaging';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Why an entry was not kept: the queue was full; it is larger than a message may be; metering refused it; it
 * could not be read; edge stopped before it was taken.
 */
export type DropReason = 'full' | 'too_large' | 'refused' | 'failed' | 'stopped';

/** What a queue works with. Sizes are bytes of the entries as JSON. */
export interface ContentQueueParts {
  readonly maxEntries: number;
  readonly maxBytes: number;
  /** Of one message; more than one entry travel together up to this. */
  readonly messageBytes: number;
  /** How long to wait after metering was away. */
  readonly retryMs: number;
  /**
   * Resolves when the entries are stored.
   * @throws ControlError `unavailable` to be asked again, anything else to drop them.
   */
  send(entries: NewLoggedContent[]): Promise<unknown>;
  onKept(entries: number): void;
  onDropped(reason: DropReason, entries: number): void;
}

interface Waiting {
  readonly entry: NewLoggedContent;
  readonly bytes: number;
}

const mostPerMessage = 100;
const pollMs = 20;

/**
 * Entries on their way to metering: in memory, bounded, in their order, one message at a time. When it is
 * full, what comes is dropped, sooner of an account that has much there; nobody ever waits for it.
 */
export class ContentQueue {
  private readonly waiting: Waiting[] = [];
  private held = 0;
  private readonly byAccount = new Map<string, { entries: number; bytes: number }>();
  private isSending = false;
  private isClosed = false;

  constructor(private readonly parts: ContentQueueParts) {}

  /** Bytes that are held now. */
  get bytes(): number {
    return this.held;
  }

  push(entry: NewLoggedContent): void {
    const { messageBytes } = this.parts;
    const bytes = Buffer.byteLength(JSON.stringify(entry));
    if (this.isClosed) return this.parts.onDropped('stopped', 1);
    if (bytes > messageBytes) return this.parts.onDropped('too_large', 1);
    if (!this.hasRoomFor(entry.accountId, bytes)) return this.parts.onDropped('full', 1);
    this.waiting.push({ entry, bytes });
    this.count(entry.accountId, 1, bytes);
    if (!this.isSending) void this.sendAll();
  }

  /** Resolves when nothing waits any more, or the time is over. */
  async flush(timeoutMs: number): Promise<void> {
    const giveUpAtMs = performance.now() + timeoutMs;
    while (this.waiting.length > 0 && performance.now() < giveUpAtMs) await sleep(pollMs, undefined, { ref: false });
  }

  /** Takes nothing more and drops what waits. */
  close(): void {
    this.isClosed = true;
    this.drop(this.waiting.length, 'stopped');
  }

  private async sendAll(): Promise<void> {
    this.isSending = true;
    while (this.waiting.length > 0) {
      const batch = this.nextBatch();
      try {
        await this.parts.send(batch);
        if (this.isClosed) break;
        this.taken(batch.length);
        this.parts.onKept(batch.length);
      } catch (error) {
        if (this.isClosed) break;
        if (error instanceof ControlError && error.code === 'unavailable')
          await sleep(this.parts.retryMs, undefined, { ref: false });
        else this.drop(batch.length, 'refused');
      }
    }
    this.isSending = false;
  }

  private nextBatch(): NewLoggedContent[] {
    const batch: NewLoggedContent[] = [];
    let bytes = 0;
    for (const next of this.waiting.slice(0, mostPerMessage)) {
      bytes += next.bytes;
      if (bytes > this.parts.messageBytes) break;
      batch.push(next.entry);
    }
    return batch;
  }

  private drop(entries: number, reason: DropReason): void {
    this.taken(entries);
    if (entries > 0) this.parts.onDropped(reason, entries);
  }

  private taken(entries: number): void {
    for (const { entry, bytes } of this.waiting.splice(0, entries)) this.count(entry.accountId, -1, -bytes);
  }

  private hasRoomFor(accountId: string, bytes: number): boolean {
    const { maxEntries, maxBytes } = this.parts;
    const own = this.byAccount.get(accountId) ?? { entries: 0, bytes: 0 };
    return (
      leavesToOthers(maxEntries, { all: this.waiting.length + 1, own: own.entries + 1 }) &&
      leavesToOthers(maxBytes, { all: this.held + bytes, own: own.bytes + bytes })
    );
  }

  private count(accountId: string, entries: number, bytes: number): void {
    const own = this.byAccount.get(accountId) ?? { entries: 0, bytes: 0 };
    this.held += bytes;
    own.entries += entries;
    own.bytes += bytes;
    if (own.entries > 0) this.byAccount.set(accountId, own);
    else this.byAccount.delete(accountId);
  }
}
