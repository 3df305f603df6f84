import { TransientMap } from '../../memory/transient';

/** How many ids are remembered at most; beyond, the oldest is forgotten. */
const mostIds = 100_000;

/**
 * A settled stream's id: who had the stream under it (null: it was had under another id), and the tick at
 * which it was added.
 */
interface PastStream {
  holder: string | null;
  addedAt: number;
}

/** Ids of streams that are settled, for a while: an instance that was stalled may still speak of them. */
export class PastStreams {
  /** By id, oldest first. */
  private readonly streams = new TransientMap<number, PastStream>();

  add(id: number, holder: string | null, now: number): void {
    this.streams.set(id, { holder, addedAt: now });
    if (this.streams.size > mostIds) this.dropFirst();
  }

  /** Another than this instance had the stream. False also of a stream that is not remembered. */
  wasElsewhere(id: number, instance: string): boolean {
    const stream = this.streams.get(id);
    return stream !== undefined && stream.holder !== instance;
  }

  forgetBefore(tick: number): void {
    for (const { addedAt } of this.streams.values()) {
      if (addedAt >= tick) return;
      this.dropFirst();
    }
  }

  private dropFirst(): void {
    for (const id of this.streams.keys()) {
      this.streams.delete(id);
      return;
    }
  }
}
