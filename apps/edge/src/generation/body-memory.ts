/** Bounds the memory that request bodies take in all, in bytes: those being read, and those kept until their generation is accounted for. */
export class BodyMemory {
  private used = 0;

  constructor(private readonly limit: number) {}

  get usedBytes(): number {
    return this.used;
  }

  /** True when so many bytes more may be held; they count from now on. */
  take(bytes: number): boolean {
    if (this.used + bytes > this.limit) return false;
    this.used += bytes;
    return true;
  }

  free(bytes: number): void {
    this.used -= bytes;
  }
}
