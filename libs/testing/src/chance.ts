/** Pseudo-random choices that a seed repeats (mulberry32, public domain). */
export class Chance {
  constructor(private state: number) {}

  /** At least 0, below 1. */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** At least `least`, below `most`. */
  between(least: number, most: number): number {
    return least + this.next() * (most - least);
  }

  /** A whole number from 0, below `limit`. */
  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  /** True in `share` of all cases. */
  happens(share: number): boolean {
    return this.next() < share;
  }

  /** @throws RangeError where there is nothing to choose from. */
  pick<T>(choices: readonly T[]): T {
    const index = this.below(choices.length);
    if (index >= choices.length) throw new RangeError('there is nothing to choose from');
    return choices[index] as T;
  }
}
