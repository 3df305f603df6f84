/** Gathers bytes up to a limit; what comes after is thrown away. */
export class BoundedBody {
  private readonly chunks: Uint8Array[] = [];
  private length = 0;

  constructor(private readonly maxBytes: number) {}

  get full(): boolean {
    return this.length >= this.maxBytes;
  }

  push(bytes: Uint8Array): void {
    const room = bytes.subarray(0, this.maxBytes - this.length);
    if (room.length === 0) return;
    this.chunks.push(room);
    this.length += room.length;
  }

  bytes(): Uint8Array {
    return Buffer.concat(this.chunks);
  }
}
