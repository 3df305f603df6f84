import { windowMs } from '../rolling-log';

/** Tokens that one request took, and when. They change when it ends: what it used is known then. */
export interface TokenEntry {
  readonly atMs: number;
  /** Names it in a log that edges have in common. */
  readonly member: string;
  /** The run id of the Valkey that has it as it is; null: none has. */
  run: string | null;
  tokens: number;
}

/**
 * The tokens that requests took in the last 60 seconds, oldest first. Each counts from the moment that its
 * request was let in, whenever it ends. Times must never go backwards.
 */
export class TokenLog {
  private entries: TokenEntry[] = [];
  /** Entries before this one have left the window. */
  private first = 0;
  private sum = 0;

  /** The tokens in the window, as of the last `expire`. */
  get total(): number {
    return this.sum;
  }

  get isEmpty(): boolean {
    return this.first === this.entries.length;
  }

  /** Forgets what is 60 seconds old or older. */
  expire(nowMs: number): void {
    for (let oldest = this.entries[this.first]; oldest && oldest.atMs <= nowMs - windowMs;) {
      this.sum -= oldest.tokens;
      this.first += 1;
      oldest = this.entries[this.first];
    }
    if (this.first * 2 < this.entries.length || this.first === 0) return;
    this.entries = this.entries.slice(this.first);
    this.first = 0;
  }

  push(tokens: number, nowMs: number, member = ''): TokenEntry {
    const entry: TokenEntry = { atMs: nowMs, member, run: null, tokens };
    this.entries.push(entry);
    this.sum += tokens;
    return entry;
  }

  /** The request of an entry used so many. One that has left the window stays out of it. */
  settle(entry: TokenEntry, used: number, nowMs: number): void {
    this.expire(nowMs);
    if (entry.atMs > nowMs - windowMs) this.sum += used - entry.tokens;
    entry.tokens = used;
  }

  /** The request of an entry took nothing. */
  remove(entry: TokenEntry, nowMs: number): void {
    this.expire(nowMs);
    const index = this.entries.lastIndexOf(entry);
    if (index < this.first) return;
    this.entries.splice(index, 1);
    this.sum -= entry.tokens;
    entry.tokens = 0;
  }

  /** Until the window is empty, milliseconds. */
  resetMs(nowMs: number): number {
    const newest = this.isEmpty ? undefined : this.entries.at(-1);
    return newest ? newest.atMs + windowMs - nowMs : 0;
  }

  /** Until `tokens` of those in the window have left it, milliseconds; a whole window where there are fewer. */
  roomInMs(tokens: number, nowMs: number): number {
    let left = tokens;
    for (let index = this.first; left > 0; index++) {
      const entry = this.entries[index];
      if (!entry) return windowMs;
      left -= entry.tokens;
      if (left <= 0) return entry.atMs + windowMs - nowMs;
    }
    return 0;
  }

  /** What is in the window, oldest first. */
  inWindow(): readonly TokenEntry[] {
    return this.entries.slice(this.first);
  }
}
