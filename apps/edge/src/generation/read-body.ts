import { GatewayError } from '@tollgate/contracts';
import { largeBytes, mappedBytes, MemoryFullError } from '@tollgate/messaging';
import type { HeldMemory } from '@tollgate/messaging';
import {
  decoded,
  decoderBytesOf,
  dropCopied,
  isEncoded,
  notDecompressed,
  isMoreThanFits,
  leaveRest,
  memoryFull,
  tooLarge,
} from './body-encoding';
import { refusePieces, spanMs, tooManyPieces, tooSlow, Unreadable, bodyTurns, PacedBody } from './body-turns';
import { BodyBlocks, tinyBytes } from './body-blocks';
import { CallerLeft, whileThere } from './caller-left';
import type { BodyRoom, HeldBody } from './held-body';
import { copyInTurns, leavingTurns, takenFrom } from './in-turns';
import type { RequestMessage } from './inner-exchange';

/**
 * Reads a whole request body, of at most `limit` bytes as they are before compression, whether or not the
 * length was announced. A large one waits for its turn first. `turns`: those of the bodies beside it.
 * @throws GatewayError 413 for a larger one, 400 for one that cannot be decompressed or comes in too many
 * pieces, 408 for a large one that comes too slowly, 503 when bodies take too much memory in all; CallerLeft.
 */
export async function readBody(request: RequestMessage, room: BodyRoom, turns = bodyTurns): Promise<HeldBody> {
  const announced = isEncoded(request.headers['content-encoding']) ? 0 : Number(request.headers['content-length'] ?? 0);
  if (announced > room.limit) throw tooLarge(room.limit);
  if (request.destroyed) throw new CallerLeft();
  const reading = new BodyReading(request, room, turns);
  const own = request.large?.take();
  // Whoever it was for gave it back.
  if (own === null) throw new CallerLeft();
  if (own) return reading.adopt(own);
  try {
    if (announced > largeBytes) await reading.waitFor(announced);
    else if (announced >= mappedBytes) reading.expect();
    return await reading.read();
  } catch (error) {
    reading.giveUp();
    request.unpipe();
    leaveRest(request, error);
    throw error;
  }
}

/**
 * One body on its way in, and then held. It is no object with a getter of its own: V8 makes that old at once
 * (`Factory::NewAccessorPair`), and the request that it saw outlived all collections of young objects.
 */
class BodyReading implements HeldBody {
  private readonly chunks: Buffer[] = [];
  private length = 0;
  /** What came from the caller, as it was sent. */
  private pieces = 0;
  private sentBytes = 0;
  /** Where a small body goes that is not tiny, until it is whole; null: it goes elsewhere. */
  private blocks: BodyBlocks | null = null;
  /** Where a large body goes whose length was announced; others are put together at their end. */
  private whole: Buffer | null = null;
  /** So many bytes were taken of what is used again; 0: none. */
  private takenBytes = 0;
  private isLeft = false;
  /** Null: its bytes are taken one by one, or by blocks, as the body is small, and no decoder takes much. */
  private held: HeldMemory | null = null;
  private windowBytes = 0;
  private isLarge = false;
  /** So many were taken. */
  private smallBytes = 0;
  /** What small parts of a conversation took, and large ones of a small body. */
  private addedBytes = 0;
  private grownBytes = 0;
  private added: HeldMemory | null = null;
  private isReleased = false;
  private readonly whenReleased: (() => void)[] = [];
  /** Looks at the pace of a large body. */
  private pace: NodeJS.Timeout | undefined;
  /** Null: nothing is read yet. */
  private paced: PacedBody | null = null;
  private refuse: (refusal: GatewayError) => void = () => undefined;

  constructor(
    private readonly request: RequestMessage,
    private readonly room: BodyRoom,
    private readonly turns: typeof bodyTurns,
  ) {}

  /** The body came whole, and its memory is this one's now. */
  adopt({ held, bytes }: { readonly held: HeldMemory; readonly bytes: Buffer }): Promise<HeldBody> {
    this.request.resume();
    this.held = held;
    this.whole = bytes;
    this.takenBytes = bytes.length;
    this.length = bytes.length;
    return this.done();
  }

  /**
   * Waits for the memory of a body of exactly so many bytes. What its socket brings before it stops counts.
   * @throws GatewayError 503 when that took too long, or too many wait; CallerLeft.
   */
  async waitFor(bytes: number): Promise<void> {
    if (!this.takeSmall(tinyBytes)) throw memoryFull();
    await this.becomeLarge(bytes);
    this.whole = this.takeMemory(bytes);
  }

  /** A small body that is not tiny will come. */
  expect(): void {
    this.blocks = new BodyBlocks(this.room.memory.buffers, (piece) => dropCopied(this.request, piece));
  }

  /** Waits for what its decoder takes, and for what is small beside that. */
  private async hold(windowBytes: number): Promise<void> {
    this.windowBytes = windowBytes;
    try {
      await this.admit(Math.min(windowBytes + largeBytes, this.room.memory.limit));
    } catch (error) {
      if (error instanceof GatewayError) this.refuse(error);
      throw error;
    }
  }

  /**
   * Waits for the memory of a body of up to so many bytes.
   * @throws GatewayError 503 when that took too long; CallerLeft.
   */
  private async becomeLarge(bytes: number): Promise<void> {
    await this.admit(this.windowBytes + bytes);
    this.isLarge = true;
  }

  private async admit(bytes: number): Promise<void> {
    const { memory, owner } = this.room;
    const left = new AbortController();
    // A request that came whole closes too, which it does while what is decompressed of it still waits.
    const leave = () => {
      if (!this.request.readableEnded) left.abort(new CallerLeft());
    };
    this.request.once('close', leave);
    // Nothing of it is read while it waits.
    clearInterval(this.pace);
    try {
      if (this.held) await this.held.grow(bytes, left.signal);
      else this.held = await memory.admit(owner, bytes, left.signal);
    } catch (error) {
      throw error instanceof MemoryFullError ? memoryFull() : error;
    } finally {
      this.request.off('close', leave);
    }
    if (this.isReleased) return this.held.release();
    this.freeSmall();
    this.watchPace();
  }

  private watchPace(): void {
    let before = this.sentBytes;
    this.pace = setInterval(() => {
      // After this process stood still, what came meanwhile is read first.
      setImmediate(() => {
        const waitedMs = this.paced?.takeWaitedMs() ?? 0;
        const refusal = this.request.readableEnded ? null : tooSlow(this.sentBytes - before, waitedMs);
        before = this.sentBytes;
        if (refusal) this.refuse(refusal);
      });
    }, spanMs).unref();
  }

  read(): Promise<HeldBody> {
    const { request } = this;
    if (request.destroyed) throw new CallerLeft();
    const { memory, owner } = this.room;
    const decoderBytes = decoderBytesOf(request.headers['content-encoding']);
    if (decoderBytes > 0 && !memory.take(decoderBytes, owner.accountId)) throw memoryFull();
    const body = decoded(request, (window) => this.hold(window));
    const paced = new PacedBody(body, owner, this.turns);
    this.paced = paced;
    return new Promise<HeldBody>((resolve, reject) => {
      let isOver = false;
      const over = (end: () => void) => {
        if (isOver) return;
        isOver = true;
        clearInterval(this.pace);
        paced.stop();
        if (body !== request) body.destroy();
        if (decoderBytes > 0) memory.free(decoderBytes, owner.accountId);
        end();
      };
      const refuse = (refusal: Error) => over(() => reject(refusal));
      this.refuse = refuse;
      const stop = (refusal: GatewayError | null) => {
        if (!refusal) return;
        request.removeAllListeners('data');
        if (refusal instanceof Unreadable) refusePieces(request);
        refuse(refusal);
      };
      // It has no length any more when it was copied.
      const take = (chunk: Buffer, { length } = chunk) => {
        const refusal = this.take(chunk);
        if (refusal) stop(refusal);
        else paced.readOn(length, this.held ? 'large' : this.blocks ? 'announced' : 'small');
      };
      let grown: Promise<void> | null = null;
      const sent = (piece: Buffer) => stop(this.sent(piece));
      if (body !== request) request.on('data', sent);
      body.on('data', (chunk: Buffer) => {
        if (body === request) sent(chunk);
        const length = this.length + chunk.length;
        if (this.isLarge || length <= largeBytes || length > this.room.limit) return take(chunk);
        body.pause();
        grown = this.becomeLarge(this.room.limit).then(() => take(chunk));
        grown.catch(refuse);
      });
      // A stream that has ended says so behind its last piece, whether or not it is paused there. Of one that
      // was refused the rest has come then: what it held is free, and would be taken again for good.
      const end = () => over(() => resolve(this.done()));
      body.on('end', () => (grown ? void grown.then(end, refuse) : end()));
      request.on('error', () => undefined);
      request.on('close', () => {
        // Each request closes: one that came whole takes no turn of those that leave.
        if (!request.readableEnded) leavingTurns.soon(() => refuse(new CallerLeft()));
      });
      if (body !== request) body.on('error', () => refuse(notDecompressed()));
    });
  }

  get bytes(): Buffer {
    return this.whole ?? Buffer.alloc(0);
  }

  /** Handed on by itself, too. */
  readonly moved = (from: Buffer, to: Buffer): void => {
    if (this.whole === from) this.whole = to;
  };

  leave(): void {
    this.isLeft = true;
  }

  free(bytes: Uint8Array): void {
    this.room.memory.buffers.freeLarge(bytes);
  }

  whileThere<Result>(wait: (left: AbortSignal) => Promise<Result>): Promise<Result> {
    return whileThere(this.request, wait);
  }

  /** What holds memory grows, before what is new; what little a small body goes on from is taken at once. */
  async more(bytes: number): Promise<void> {
    const { memory, owner } = this.room;
    if (!this.held && !this.added && bytes <= largeBytes) {
      if (!memory.take(bytes, owner.accountId)) throw memoryFull();
      this.addedBytes += bytes;
      return;
    }
    try {
      await whileThere(this.request, async (left) => {
        const holding = this.held ?? this.added;
        this.grownBytes += bytes;
        if (holding) await holding.grow((this.held ? this.length : 0) + this.grownBytes, left);
        else this.added = await memory.admit(owner, bytes, left);
      });
    } catch (error) {
      throw error instanceof MemoryFullError ? memoryFull() : error;
    } finally {
      if (this.isReleased) (this.held ?? this.added)?.release();
    }
  }

  become(bytes: Buffer): void {
    const { memory, owner } = this.room;
    const holding = this.held ?? this.added;
    if (!this.held) this.freeSmall(holding ? 0 : bytes.length);
    memory.free(this.addedBytes, owner.accountId);
    holding?.shrink(bytes.length);
    this.held = holding;
    this.added = null;
    this.addedBytes = 0;
    this.grownBytes = 0;
    this.length = bytes.length;
    this.whole = bytes;
  }

  onRelease(run: () => void): void {
    if (this.isReleased) run();
    else this.whenReleased.push(run);
  }

  release(): void {
    if (this.isReleased) return;
    this.isReleased = true;
    clearInterval(this.pace);
    for (const run of this.whenReleased) run();
    this.added?.release();
    const { memory, owner } = this.room;
    memory.free(this.addedBytes, owner.accountId);
    if (!this.held) this.freeSmall();
    // What was sent on in this turn of the event loop is still to leave.
    else if (this.takenBytes > 0) setImmediate(() => this.giveBack());
    else this.held.release();
  }

  /** No more of it is read, and nobody saw it: the memory of a small one is the next one's. */
  giveUp(): void {
    this.release();
    this.blocks?.giveBack();
    this.blocks = null;
  }

  /** Of what was taken one by one, or by blocks, only so much is held any more. */
  private freeSmall(left = 0): void {
    if (left === this.smallBytes) return;
    this.room.memory.free(this.smallBytes - left, this.room.owner.accountId);
    this.smallBytes = left;
  }

  private takeMemory(bytes: number): Buffer {
    this.takenBytes = bytes;
    return this.room.memory.buffers.take(bytes);
  }

  private giveBack(): void {
    this.room.memory.buffers.giveBack(this.takenBytes, this.isLeft || !this.whole ? null : this.whole.buffer);
    this.whole = null;
    this.held?.release();
  }

  /**
   * Counts what comes, also of a compressed body, as it comes: what comes out of each piece may be much, or
   * nothing. Null, or why no more is taken.
   */
  private sent(piece: Buffer): GatewayError | null {
    this.pieces += 1;
    this.sentBytes += piece.length;
    if (isMoreThanFits(this.sentBytes, this.room.limit)) return tooLarge(this.room.limit);
    return tooManyPieces(this.pieces, this.sentBytes);
  }

  /** Keeps a chunk; null, or why it cannot. */
  private take(chunk: Buffer): GatewayError | null {
    const { limit } = this.room;
    const length = this.length + chunk.length;
    if (length > limit) return tooLarge(limit);
    if (!this.held && !this.takeSmall(this.blocks ? BodyBlocks.bytesFor(length) : length)) return memoryFull();
    if (this.blocks) this.blocks.write(chunk);
    else if (this.whole) {
      chunk.copy(this.whole, this.length);
      dropCopied(this.request, chunk);
    } else this.chunks.push(chunk);
    this.length = length;
    return null;
  }

  /** So many bytes in all are held for it; false: there are not so many. */
  private takeSmall(bytes: number): boolean {
    const { memory, owner } = this.room;
    if (bytes === this.smallBytes) return true;
    if (!memory.take(bytes - this.smallBytes, owner.accountId)) return false;
    this.smallBytes = bytes;
    return true;
  }

  private async done(): Promise<HeldBody> {
    this.held?.shrink(this.length);
    const bytes = this.allBytes();
    this.whole = bytes instanceof Promise ? await bytes : bytes;
    if (!this.held) this.freeSmall(this.length);
    return this;
  }

  private allBytes(): Buffer | Promise<Buffer> {
    if (this.whole) return this.whole.subarray(0, this.length);
    const { blocks } = this;
    this.blocks = null;
    if (blocks) return blocks.whole();
    const chunks = this.chunks.splice(0);
    const [only] = chunks;
    if (this.length <= largeBytes) return chunks.length === 1 && only ? only : Buffer.concat(chunks, this.length);
    const whole = this.takeMemory(this.length);
    return copyInTurns(takenFrom(chunks), whole).then(() => whole);
  }
}
