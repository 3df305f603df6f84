/** The span that requests are counted over, milliseconds. */
export const windowMs = 60_000;
const firstCapacity = 16;

/**
 * The times of one key's admitted requests in the last 60 seconds, oldest first, in a ring that grows as
 * needed. Times must never go backwards.
 */
export class RollingLog {
  private ring = new Float64Array(firstCapacity);
  private head = 0;
  private count = 0;

  get length(): number {
    return this.count;
  }

  /** The time of the entry at `index`, 0 being the oldest. */
  at(index: number): number {
    return this.ring[(this.head + index) % this.ring.length] ?? NaN;
  }

  /** Forgets what is 60 seconds old or older. */
  expire(nowMs: number): void {
    while (this.count > 0 && this.at(0) <= nowMs - windowMs) this.removeOldest();
  }

  push(nowMs: number): void {
    if (this.count === this.ring.length) this.grow();
    this.ring[(this.head + this.count) % this.ring.length] = nowMs;
    this.count += 1;
  }

  /** Removes the newest entry with exactly this time, if it is still there. */
  remove(timeMs: number): void {
    for (let index = this.count - 1; index >= 0; index--) {
      if (this.at(index) !== timeMs) continue;
      for (let later = index; later < this.count - 1; later++)
        this.ring[(this.head + later) % this.ring.length] = this.at(later + 1);
      this.count -= 1;
      return;
    }
  }

  /** Removes the oldest entry, if there is one. */
  removeOldest(): void {
    if (this.count === 0) return;
    this.head = (this.head + 1) % this.ring.length;
    this.count -= 1;
  }

  /** Takes the entries of another log in, each at its own time. */
  merge(other: RollingLog): void {
    const times: number[] = [];
    for (const log of [this, other]) for (let index = 0; index < log.length; index++) times.push(log.at(index));
    this.head = 0;
    this.count = 0;
    for (const time of times.sort((a, b) => a - b)) this.push(time);
  }

  private grow(): void {
    const larger = new Float64Array(this.ring.length * 2);
    for (let index = 0; index < this.count; index++) larger[index] = this.at(index);
    this.ring = larger;
    this.head = 0;
  }
}
