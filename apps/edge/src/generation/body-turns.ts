import type { Readable } from 'node:stream';
import { GatewayError } from '@tollgate/contracts';
import { AccountPace, largeBytes, ReadTurns } from '@tollgate/messaging';
import type { Owner } from '@tollgate/messaging';
import { tinyBytes } from './body-blocks';
import { BodyPlaces } from './body-places';
import type { BodyPlace } from './body-places';
import type { RequestMessage } from './inner-exchange';

/**
 * So much of bodies is read in a turn of the event loop, about a millisecond of work where the system gives
 * the memory for the first time; each account has a piece of a socket of it at the least. 600 bodies of a
 * megabyte that came at once were read in a few turns, as fast as they came, and nobody else was served in
 * between.
 */
const turnBounds = { turnBytes: 262_144, leastBytes: 65_536 };

/**
 * So much of the bodies of one account is read a second beside others, after the largest body at twice that:
 * each megabyte takes a millisecond or two of the event loop, and V8 collects the whole heap for every 64.
 */
const paceBounds = { bytesPerS: 33_554_432, burstBytes: 33_554_432, peakBytesPerS: 67_108_864 };

/**
 * So many bodies of one account beside others have more than their first piece in memory, 32 MiB at the most,
 * and those that have stalled. Senders that bring 32 kB a second keep their places.
 */
const placeBounds = { places: 32, stalledMs: 2_000, leastBytes: 65_536 };

/**
 * Whose bodies are read when: by their accounts' shares of a turn of the event loop, by their pace, and by
 * the places that an account has for those that are under way.
 */
export class BodyTurns {
  readonly turns = new ReadTurns(turnBounds);
  readonly places = new BodyPlaces(placeBounds, (accountId) => this.pace.isBeside(accountId));

  constructor(readonly pace = new AccountPace(paceBounds)) {}
}

/** Of all bodies of this process. */
export const bodyTurns = new BodyTurns();

/** A body that is read no further than its account's share of a turn, and at its pace. */
export class PacedBody {
  private isOver = false;
  /** So much was counted of the next piece before it came. */
  private countedBytes = 0;
  /** Since when it waits for its turn, by the steady clock; null: it does not. */
  private waitsSince: number | null = null;
  private waitedMs = 0;
  private broughtBytes = 0;
  private timer: NodeJS.Timeout | undefined;
  /** Null: it needs none yet. */
  private place: BodyPlace | null = null;

  constructor(
    private readonly body: Readable,
    private readonly owner: Owner,
    private readonly all: BodyTurns,
  ) {}

  /**
   * A piece was taken: the next one comes now, in a later turn, or when its account's pace has it. One that
   * is not large (those wait for their memory) waits for a place, too: before its second piece where it
   * announced more, and else when it is no longer tiny.
   */
  readOn(bytes: number, body: 'small' | 'announced' | 'large'): void {
    this.place?.heard(bytes);
    const needsPlace = body === 'announced' || (body === 'small' && this.broughtBytes + bytes > tinyBytes);
    if (this.place || !needsPlace) return this.next(bytes);
    this.wait();
    this.place = this.all.places.enter(this.owner.accountId, () => this.next(bytes));
  }

  private next(bytes: number): void {
    if (this.isOver) return;
    this.countWaiting();
    this.waitsSince = null;
    const more = Math.max(0, bytes - this.countedBytes);
    this.countedBytes = 0;
    this.broughtBytes += bytes;
    const waitMs = this.all.pace.pieceMs(this.owner.accountId, bytes, this.broughtBytes);
    if (waitMs > 0) {
      // Many may come at once where the process stood still: each waits for its turn then.
      this.timer = setTimeout(() => void this.goOn(bytes), waitMs).unref();
      this.wait();
    } else if (this.all.turns.read(this.owner, more, () => this.resume(bytes))) this.wait();
    else this.body.resume();
  }

  /** For how long it waited for its turns since this was asked last: nothing came then. Milliseconds. */
  takeWaitedMs(): number {
    this.countWaiting();
    const ms = this.waitedMs;
    this.waitedMs = 0;
    return ms;
  }

  /** Nothing more is read here. */
  stop(): void {
    this.isOver = true;
    clearTimeout(this.timer);
    this.place?.leave();
  }

  private wait(): void {
    this.body.pause();
    this.waitsSince = performance.now();
  }

  /** Its pace has it: in a turn in which its account has a share left for a piece of so many bytes. */
  private async goOn(bytes: number): Promise<void> {
    await this.all.turns.turn(this.owner, bytes);
    this.resumeCounted(bytes);
  }

  private resume(bytes: number): void {
    if (this.isOver) return;
    this.all.turns.count(this.owner, bytes);
    this.resumeCounted(bytes);
  }

  /** A stream hands its next piece on after that, behind others whose turn it is now: it counts already. */
  private resumeCounted(bytes: number): void {
    if (this.isOver) return;
    const waitedMs = this.countWaiting();
    this.place?.waited(waitedMs);
    this.waitsSince = null;
    this.countedBytes = bytes;
    this.body.resume();
  }

  /** What it has waited since this was counted last, milliseconds. */
  private countWaiting(): number {
    if (this.waitsSince === null) return 0;
    const now = performance.now();
    const ms = now - this.waitsSince;
    this.waitedMs += ms;
    this.waitsSince = now;
    return ms;
  }
}

/**
 * A body may come in so many pieces of any size; beyond that they must hold so many bytes on average. Node
 * hands each chunk of HTTP on by itself, at some microseconds, so that a megabyte in chunks of one byte would
 * take the event loop for a second.
 */
const freePieces = 4_096;
const leastBytesAPiece = 64;

/**
 * What a large body brings at the least, bytes in each so many milliseconds: it holds memory that others wait
 * for. That is half a megabit a second; what is small is bounded by the server's request timeout alone.
 */
const leastBytesASpan = 640 * 1_024;
export const spanMs = 10_000;

/** Of a body that is refused so, the rest is not read. */
export class Unreadable extends GatewayError {}

/** Null, or why no more is taken of a body that came in so many pieces so far. */
export function tooManyPieces(pieces: number, bytes: number): Unreadable | null {
  if (pieces <= freePieces || bytes >= pieces * leastBytesAPiece) return null;
  const told = `more than ${freePieces} pieces of fewer than ${leastBytesAPiece} bytes`;
  return new Unreadable(400, `The request body comes in ${told}.`);
}

/**
 * Keeps no piece that Node's parser still hands on. Ten thousand may come with one read of a socket, before
 * anybody hears of the refusal: kept one by one in a stream that nobody reads, they took the event loop for
 * 35 ms, a quarter of which the parser needs itself.
 */
export function refusePieces(request: RequestMessage): void {
  request.push = () => false;
}

/**
 * Null, or why no more is taken of a large body that brought so many bytes in the last span, in which it
 * waited for its turns for so long, milliseconds.
 */
export function tooSlow(bytes: number, waitedMs: number): Unreadable | null {
  if (bytes >= leastBytesASpan * (1 - waitedMs / spanMs)) return null;
  const least = `${leastBytesASpan} bytes in ${spanMs / 1_000} seconds`;
  return new Unreadable(
    408,
    `The request body came too slowly: one of Brotli, or of more than ${largeBytes} bytes, needs ${least}.`,
  );
}
