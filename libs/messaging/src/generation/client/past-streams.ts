/** How many ids are remembered at most; beyond, the oldest is forgotten. */
const mostIds = 100_000;

/** Ids of streams that are settled, for a while: an instance that was stalled may still speak of them. */
export class PastStreams {
  /** By the tick at which they were added, oldest first. */
  private readonly addedAt = new Map<number, number>();

  add(id: number, now: number): void {
    this.addedAt.set(id, now);
    if (this.addedAt.size > mostIds) this.dropFirst();
  }

  has(id: number): boolean {
    return this.addedAt.has(id);
  }

  forgetBefore(tick: number): void {
    for (const addedAt of this.addedAt.values()) {
      if (addedAt >= tick) return;
      this.dropFirst();
    }
  }

  private dropFirst(): void {
    for (const id of this.addedAt.keys()) {
      this.addedAt.delete(id);
      return;
    }
  }
}
