import { MessageChannel } from 'node:worker_threads';
import type { MessagePort } from 'node:worker_threads';

/** From this size on, in bytes, a body or an answer is large: it waits for its memory. */
export const largeBytes = 1_048_576;
/**
 * From this size on, in bytes, memory has a size that many bodies share: glibc maps it apart from its heap,
 * and the system has it back when it goes.
 */
export const mappedBytes = 131_072;
/** What is not asked for again for so long is given back to the system, milliseconds. */
const idleMs = 20_000;
/**
 * A power of two has so many sizes up to the next, so that an eighth of a buffer is not used at most, and
 * buffers of bodies that are nearly alike are used for one another.
 */
const sizesPerDoubling = 8;
/**
 * So much is given back to the system in a turn of the event loop, bytes, or one buffer: it takes each page
 * by itself, and hundreds of callers may leave at once.
 */
const freedBytes = 2_097_152;

/**
 * Memory for large bodies, which is used again: V8 frees nothing before it collects the whole heap, so that
 * each body beside an attacker lay in memory of its own long after it was over, and the system gives each
 * page of new memory at its first use (30 MiB: some 250 ms of CPU on a busy machine, 8 ms where it was used
 * before).
 *
 * Who has a view of what was given back sees nothing: the memory is moved, and the view is empty from then
 * on. https://developer.mozilla.org/en-US/docs/Web/API/Web_Workers_API/Transferable_objects
 */
export class LargeBuffers {
  /** The one that was given back last stands last. */
  private idle: ArrayBuffer[] = [];
  private idleBytes = 0;
  private used = 0;
  /** What the system is about to have. */
  private readonly leaving: ArrayBuffer[] = [];
  private leavingBytes = 0;
  private isFreeing = false;
  private timer: NodeJS.Timeout | null = null;

  /**
   * `limit`: bytes that are used or wait to be used again, where what is used is not more by itself; as many
   * may be about to go when more is taken.
   */
  constructor(private readonly limit: number) {}

  /** Bytes that it has of the system: what is used, what waits to be used again, and what is about to go. */
  get allocatedBytes(): number {
    return this.used + this.idleBytes + this.leavingBytes;
  }

  /** A buffer of so many bytes, more than `largeBytes`. What an earlier one held may stand in it. */
  take(bytes: number): Buffer {
    const size = sizeFor(bytes);
    const again = this.idleOf(size);
    if (!again) this.makeRoom(size);
    this.used += size;
    return Buffer.from(again ?? new ArrayBuffer(size), 0, bytes);
  }

  /**
   * A buffer of so many bytes, `mappedBytes` or more, for something small: it is not counted, and V8 has it
   * in the end unless it is kept for the next one. What an earlier one held may stand in it.
   */
  lend(bytes: number): Buffer {
    const size = sizeFor(bytes);
    return Buffer.from(this.idleOf(size) ?? Buffer.allocUnsafeSlow(size).buffer, 0, bytes);
  }

  /**
   * Memory that was lent is used again, as far as there is room for that. It is moved, so that whoever still
   * has a view of it sees nothing of the next one's.
   */
  keep(memory: ArrayBufferLike): void {
    if (memory instanceof ArrayBuffer) this.becomeIdle(structuredClone(memory, { transfer: [memory] }));
  }

  /**
   * A buffer of so many bytes is over; `memory`: where it lies now, null where that is nobody's any more, or
   * others still look at it.
   */
  giveBack(bytes: number, memory: ArrayBufferLike | null): void {
    const size = sizeFor(bytes);
    this.used -= size;
    if (!(memory instanceof ArrayBuffer) || memory.byteLength !== size) return;
    this.becomeIdle(structuredClone(memory, { transfer: [memory] }));
  }

  private idleOf(size: number): ArrayBuffer | null {
    const at = this.idle.findLastIndex(({ byteLength }) => byteLength === size);
    const [found = null] = at < 0 ? [] : this.idle.splice(at, 1);
    this.idleBytes -= found?.byteLength ?? 0;
    return found;
  }

  private becomeIdle(memory: ArrayBuffer): void {
    if (this.allocatedBytes + memory.byteLength > this.limit) return this.leave(memory);
    this.idle.push(memory);
    this.idleBytes += memory.byteLength;
    this.timer ??= setTimeout(() => this.freeIdle(), idleMs).unref();
    this.timer.refresh();
  }

  /**
   * The system has this memory, of any size, in one of the next turns of the event loop. Who has a view of it
   * sees nothing from now on.
   */
  free(memory: ArrayBufferLike): void {
    if (memory instanceof ArrayBuffer) this.leave(structuredClone(memory, { transfer: [memory] }));
  }

  /** The same of what this lies in, where that is large: V8 would collect the whole heap for 64 MB of it. */
  freeLarge({ buffer }: Uint8Array): void {
    if (buffer.byteLength > largeBytes) this.free(buffer);
  }

  private leave(memory: ArrayBuffer): void {
    this.leaving.push(memory);
    this.leavingBytes += memory.byteLength;
    if (this.isFreeing) return;
    this.isFreeing = true;
    setImmediate(() => this.freeSome());
  }

  private freeSome(): void {
    for (let left = freedBytes; left > 0 && this.leaving.length > 0;) left -= this.freeNext();
    this.isFreeing = this.leaving.length > 0;
    if (this.isFreeing) setImmediate(() => this.freeSome());
  }

  /** The system has what has waited longest; how much that was, bytes. */
  private freeNext(): number {
    const memory = this.leaving.shift();
    if (!memory) return 0;
    const bytes = memory.byteLength;
    this.leavingBytes -= bytes;
    nowhere.postMessage(null, [memory]);
    return bytes;
  }

  /**
   * What waits to be used again makes room for a new one, in turns: new memory is the system's until somebody
   * writes to it, which takes as many turns or more. To give all of it back in one took up to 7 ms. Where
   * more comes and goes than the turns give back, what is beyond the limit goes at once.
   */
  private makeRoom(size: number): void {
    while (this.idleBytes > 0 && this.used + this.idleBytes + size > this.limit) this.leaveIdle();
    while (this.leavingBytes > this.limit) this.freeNext();
  }

  /** What has waited longest to be used again leaves. */
  private leaveIdle(): void {
    const first = this.idle.shift();
    if (!first) return;
    this.idleBytes -= first.byteLength;
    this.leave(first);
  }

  private freeIdle(): void {
    this.idleBytes = 0;
    for (const memory of this.idle.splice(0)) this.leave(memory);
  }
}

/** From this size on, bytes, what was copied costs less to be given back at once than to be collected. */
const leastDroppedBytes = 4_096;

/**
 * A piece of a body was copied, and nobody looks at it any more: its memory is the next one's at once, where
 * all of it is the piece's. V8 collects what is new for every 29 MiB of pieces, and the whole heap for 64 MB
 * that outlived that; to read 29 MiB of them took 22 ms of CPU instead of 32.
 */
export function dropPiece({ buffer, length }: Uint8Array): void {
  if (length < leastDroppedBytes || !(buffer instanceof ArrayBuffer) || buffer.byteLength !== length) return;
  nowhere.postMessage(null, [buffer]);
}

/** Whether all of this memory belongs to what lies in these bytes, so that it may be handed to a thread. */
export function hasOwnMemory({ buffer, byteOffset, length }: Uint8Array): boolean {
  if (byteOffset !== 0) return false;
  return buffer.byteLength === length || (length >= mappedBytes && buffer.byteLength === sizeFor(length));
}

function sizeFor(bytes: number): number {
  const step = 2 ** Math.ceil(Math.log2(bytes)) / (2 * sizesPerDoubling);
  return Math.ceil(bytes / step) * step;
}

/** What is sent to a port that is closed is freed at once. */
const nowhere = closedPort();

function closedPort(): MessagePort {
  const { port1, port2 } = new MessageChannel();
  port1.close();
  port2.unref();
  return port2;
}

/**
 * So much shared memory that V8 has not collected may lie there, bytes: what nobody uses any more, too. It
 * collects none for its sake, as it does not count it.
 */
const mostSharedBytes = 256 * 1024 * 1024;

/** Shared memory that V8 has not collected yet. */
export class SharedBuffers {
  private bytes = 0;
  private readonly collected = new FinalizationRegistry<number>((bytes) => (this.bytes -= bytes));

  constructor(private readonly mostBytes = mostSharedBytes) {}

  /**
   * A buffer of so many bytes, all zero. One that is large lies in memory that threads share: V8 does not
   * count that for a heap (https://chromium.googlesource.com/v8/v8/+/main/src/objects/backing-store.cc,
   * `PerIsolateAccountingLength`), and a thread reads it without a copy and without taking it away. What is
   * counted makes V8 collect the whole heap after each 64 MB: bodies of 29 MiB, four a second, made eight
   * full collections a second, of 20 ms each on every core. Where too much of it is not collected yet, it is
   * memory that V8 counts after all, and so collects what is over of both.
   */
  take(bytes: number): Buffer {
    if (bytes <= largeBytes || this.bytes + bytes > this.mostBytes) return Buffer.alloc(bytes);
    const memory = new SharedArrayBuffer(bytes);
    this.bytes += bytes;
    this.collected.register(memory, bytes);
    return Buffer.from(memory);
  }
}

const shared = new SharedBuffers();

/** A buffer of so many bytes, all zero: of the shared memory of this process where that is large. */
export function bufferOf(bytes: number): Buffer {
  return shared.take(bytes);
}
