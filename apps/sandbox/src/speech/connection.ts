import type { ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Pause } from '../control/pause';
import type { LedgerRow } from '../ledger/ledger';

/**
 * Time for the peer to read what was written before a reset, which throws away what lies unread on its way: a
 * head, and tokens, which are booked, so that also a peer on a busy machine has to come to them.
 */
const beforeResetMs = { head: 50, tokens: 1_000 };

/** A trickle writes so much at a time, a millisecond apart. */
const trickleCharacters = 16;

/** So much of a padding is written in a turn of the event loop: others are answered in between. */
const spaces = Buffer.alloc(262_144, ' ');

/**
 * One request's connection: writes unless the sandbox pauses, under back-pressure, and keeps the row's end.
 */
export class Connection {
  /**
   * Wakes what waits when the peer leaves. An AbortController would cost more than all the rest of a plain
   * answer.
   */
  private wake: (() => void) | null = null;
  private brokenByUs = false;

  constructor(
    private readonly response: ServerResponse,
    private readonly pause: Pause,
    readonly row: LedgerRow,
  ) {
    pause.watch(response);
    response.once('close', () => this.closed());
  }

  get isOpen(): boolean {
    return !this.response.destroyed && !this.response.closed;
  }

  /** Waits in milliseconds, or until the peer leaves. */
  async wait(ms: number): Promise<void> {
    if (ms === 0 || !this.isOpen) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.wake = null;
  }

  /** Silence until the peer leaves. */
  async silence(): Promise<void> {
    if (this.isOpen) await new Promise<void>((resolve) => (this.wake = resolve));
  }

  /** Sends the head. */
  async head(status: number, headers: Record<string, string>): Promise<void> {
    await this.pause.free();
    if (!this.isOpen) return;
    this.row.status = status;
    this.response.writeHead(status, headers);
    this.response.flushHeaders();
  }

  /** Writes, and books what was written, of which `sound` is sound: nothing when the peer left before. */
  async write(text: string | Uint8Array, tokens: number, chunks: number, sound = 0): Promise<void> {
    await this.pause.free();
    if (!this.isOpen) return;
    this.row.outputTokens += tokens;
    this.row.audioOutputTokens += sound;
    this.row.chunks += chunks;
    if (!this.response.write(text)) await this.drained();
  }

  /** Writes in small bits; the tokens count when the last bit is out. */
  async trickle(text: string | Uint8Array, tokens: number, chunks: number, sound = 0): Promise<void> {
    for (let at = 0; at < text.length && this.isOpen; at += trickleCharacters) {
      const isLast = at + trickleCharacters >= text.length;
      const bit = text.slice(at, at + trickleCharacters);
      await (isLast ? this.write(bit, tokens, chunks, sound) : this.write(bit, 0, 0));
      await this.wait(1);
    }
  }

  /** Ends a whole answer in one piece, head and all; `padding`: so many spaces stand in front of it. */
  async answer(
    status: number,
    headers: Record<string, string>,
    body: string,
    tokens: number,
    state: LedgerRow['state'],
    sound = 0,
    padding = 0,
  ): Promise<void> {
    await this.pause.free();
    if (!this.isOpen) return;
    const { row, response } = this;
    row.status = status;
    response.writeHead(status, { ...headers, 'content-length': String(padding + Buffer.byteLength(body)) });
    for (let left = padding; left > 0; left -= spaces.length) {
      await this.write(spaces.subarray(0, left), 0, 0);
      await nextTurn();
    }
    if (!this.isOpen) return;
    row.outputTokens = tokens;
    row.audioOutputTokens = sound;
    response.end(body);
    this.finish(state);
  }

  /** Ends a stream. `text` are its last bytes. */
  async end(text: string | Uint8Array, state: LedgerRow['state']): Promise<void> {
    await this.pause.free();
    if (!this.isOpen) return;
    this.response.end(text);
    this.finish(state);
  }

  /** Breaks the connection with a TCP reset. */
  async reset(): Promise<void> {
    await this.pause.free();
    await this.wait(this.row.outputTokens > 0 ? beforeResetMs.tokens : beforeResetMs.head);
    if (!this.isOpen) return;
    this.brokenByUs = true;
    this.response.socket?.resetAndDestroy();
  }

  private finish(state: LedgerRow['state']): void {
    this.row.state = state;
    this.row.endedAt = Date.now();
  }

  private async drained(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.wake = resolve;
      this.response.once('drain', resolve);
    });
    this.wake = null;
  }

  private closed(): void {
    this.wake?.();
    const { row, response } = this;
    if (response.writableFinished) return;
    // A plain answer that did not get through was not given; what a stream wrote, it produced.
    if (row.state === 'completed' && !row.stream) row.outputTokens = row.audioOutputTokens = 0;
    row.state = 'cut';
    row.endedAt = Date.now();
    if (!this.brokenByUs) row.closedByPeerAt = row.endedAt;
  }
}
