/** How much of a call's answer may still be sent, and since when (in ticks) nothing may. */
export class Credit {
  private exhaustedSince: number | null = null;
  private grantedBytes = 0;

  constructor(private bytes: number) {}

  /** What edge granted beyond the first window: bytes that left it. */
  get granted(): number {
    return this.grantedBytes;
  }

  get available(): boolean {
    return this.bytes > 0;
  }

  /** Takes what is sent. The last frame may go beyond what is left. */
  spend(bytes: number, now: number): void {
    this.bytes -= bytes;
    if (this.bytes <= 0) this.exhaustedSince ??= now;
  }

  grant(bytes: number): void {
    this.grantedBytes += bytes;
    this.bytes += bytes;
    if (this.bytes > 0) this.exhaustedSince = null;
  }

  /** All that edge granted so far: what of it came before, or comes later, counts once. */
  grantInAll(bytes: number): void {
    this.grant(Math.max(0, bytes - this.grantedBytes));
  }

  exhaustedFor(now: number): number {
    return this.exhaustedSince === null ? 0 : now - this.exhaustedSince;
  }
}
