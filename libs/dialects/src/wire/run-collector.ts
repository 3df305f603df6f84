const nothing = Buffer.alloc(0);

/**
 * Gathers ranges of bytes to be handed on. Ranges that touch in the same memory are joined, so that the usual
 * case is one view and no copy.
 */
export class RunCollector {
  private readonly runs: Buffer[] = [];
  private source: Buffer = nothing;
  private start = 0;
  private end = 0;

  add(source: Buffer, start: number, end: number): void {
    if (source === this.source && start === this.end) {
      this.end = end;
      return;
    }
    this.closeRun();
    this.source = source;
    this.start = start;
    this.end = end;
  }

  /** Everything since the last call, in order. */
  take(): Buffer {
    if (this.runs.length === 0) {
      const only = this.end > this.start ? this.source.subarray(this.start, this.end) : nothing;
      this.reset();
      return only;
    }
    this.closeRun();
    const all = Buffer.concat(this.runs);
    this.runs.length = 0;
    this.reset();
    return all;
  }

  private closeRun(): void {
    if (this.end > this.start) this.runs.push(this.source.subarray(this.start, this.end));
  }

  private reset(): void {
    this.source = nothing;
    this.start = 0;
    this.end = 0;
  }
}
