import { setImmediate as nextTurn } from 'node:timers/promises';

/** So many bytes are copied in one turn of the event loop, so that nobody else waits for all of them. */
const turnBytes = 262_144;

/**
 * Copies pieces to the beginning of a buffer, in turns of the event loop. New memory is given page by page at
 * its first use, which takes longer than the copy.
 */
export async function copyInTurns(pieces: Iterable<Uint8Array>, target: Buffer): Promise<void> {
  let at = 0;
  let left = turnBytes;
  for (const piece of pieces)
    for (let from = 0; from < piece.length;) {
      if (left === 0) {
        await nextTurn();
        left = turnBytes;
      }
      const part = piece.subarray(from, from + left);
      target.set(part, at);
      at += part.length;
      from += part.length;
      left -= part.length;
    }
}

/** The pieces as one, which are many megabytes, perhaps: see `copyInTurns`. */
export async function joinedInTurns(pieces: readonly Uint8Array[]): Promise<Buffer> {
  const joined = Buffer.allocUnsafeSlow(pieces.reduce((sum, { length }) => sum + length, 0));
  await copyInTurns(pieces, joined);
  return joined;
}

/** Each piece, taken out of its list: what is counted once must not live on beside its copy. */
export function* takenFrom(pieces: Uint8Array[]): Generator<Uint8Array> {
  for (let piece = pieces.shift(); piece; piece = pieces.shift()) yield piece;
}

/** So much is walked over in one turn of the event loop, bytes, or one text: some tenths of a millisecond. */
const walkedBytes = 1_048_576;

/** What `walk` makes of each of these texts, which it walks over once, in turns of the event loop. */
export async function inTurns<Result>(
  texts: readonly Uint8Array[],
  walk: (text: Uint8Array, index: number) => Result,
): Promise<Result[]> {
  const results: Result[] = [];
  let left = walkedBytes;
  for (const [index, text] of texts.entries()) {
    if (left <= 0) {
      await nextTurn();
      left = walkedBytes;
    }
    results.push(walk(text, index));
    left -= text.length;
  }
  return results;
}

interface Waiting {
  readonly run: () => void;
  readonly work: number;
}

/** Does so much in a turn of the event loop, in the order in which it came; the rest in the next ones. */
export class EventLoopTurns {
  private readonly waiting: Waiting[] = [];
  private waitingWork = 0;
  private done = 0;
  private isScheduled = false;

  /** `most`: work of one turn. `share`: of more that waits, such a share is done in a turn. */
  constructor(
    private readonly most: number,
    private readonly share = 0,
  ) {}

  /** Calls `run` once: at once while there is room in this turn. `work`: how much of a turn it takes. */
  soon(run: () => void, work = 1): void {
    if (this.done >= this.most) return this.next(run, work);
    this.schedule();
    this.done += work;
    run();
  }

  /** Calls `run` once, in one of the next turns. */
  next(run: () => void, work = 1): void {
    this.schedule();
    this.waiting.push({ run, work });
    this.waitingWork += work;
  }

  private schedule(): void {
    if (this.isScheduled) return;
    this.isScheduled = true;
    setImmediate(() => this.turn());
  }

  private turn(): void {
    this.isScheduled = false;
    const next = this.takeSome();
    this.waitingWork -= this.done;
    if (next.length > 0) this.schedule();
    for (const { run } of next) run();
  }

  private takeSome(): Waiting[] {
    const most = Math.max(this.most, this.waitingWork * this.share);
    this.done = 0;
    let count = 0;
    for (const { work } of this.waiting) {
      if (this.done >= most) break;
      this.done += work;
      count += 1;
    }
    return this.waiting.splice(0, count);
  }
}

/** So much of what callers leave is dealt with in a turn of the event loop, about a millisecond of work. */
const mostLeaving = 16;
/** Of more that waits, such a share: thousands are dealt with in a few hundred turns, within a second. */
const leavingShare = 1 / 48;

/**
 * Who left when, of all connections of this process: hundreds of connections of one caller may close at once,
 * each of which costs some hundredth of a millisecond several times over. 600 that left in the middle of a
 * body kept the event loop for 48 ms of CPU. Work is counted in callers.
 */
export const leavingTurns = new EventLoopTurns(mostLeaving, leavingShare);
