const twoLineFeeds = 0x0a0a;
const twoReturns = 0x0d0d;
const twoBoth = 0x0d0a0d0a;

/** Follows the bytes of an event stream and knows whether they stand between two whole events. */
export class EventBoundary {
  /** The last four bytes, the latest lowest. A stream begins as it goes on behind an event. */
  private tail = twoLineFeeds;

  /** True before the first byte and right after an event's empty line. */
  get isBetweenEvents(): boolean {
    const { tail } = this;
    const two = tail & 0xffff;
    return two === twoLineFeeds || two === twoReturns || tail === twoBoth;
  }

  push(bytes: Uint8Array): void {
    for (let at = Math.max(0, bytes.length - 4); at < bytes.length; at++)
      this.tail = (this.tail << 8) | (bytes[at] ?? 0);
  }
}
