/** Follows the bytes of an event stream and knows whether they stand between two whole events. */
export class EventBoundary {
  private tail = '';

  /** True before the first byte and right after an event's empty line. */
  get isBetweenEvents(): boolean {
    return this.tail === '' || /(\n\n|\r\n\r\n|\r\r)$/.test(this.tail);
  }

  push(bytes: Uint8Array): void {
    const last = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).subarray(-4).toString('latin1');
    this.tail = (this.tail + last).slice(-4);
  }
}
