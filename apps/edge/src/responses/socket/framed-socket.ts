import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { SmallFrames } from './small-frames';

/**
 * A caller's socket, of which is read what `SmallFrames` makes of its frames. `came` tells, before they are
 * read, how many bytes of messages came, and whether those are too many fragments that are too small.
 */
export class FramedSocket extends Duplex {
  readonly remoteAddress: string | undefined;

  /** `head`: what was read of it before. */
  constructor(
    private readonly socket: Socket,
    head: Buffer,
    mostBytes: number,
  ) {
    super();
    this.remoteAddress = socket.remoteAddress;
    socket.setTimeout(0);
    socket.setNoDelay();
    if (head.length > 0) socket.unshift(head);
    const frames = new SmallFrames(mostBytes);
    socket.on('data', (came: Buffer) => {
      const before = frames.messageBytes;
      const pieces = frames.cut(came);
      this.emit('came', frames.messageBytes - before, frames.isInCrumbs);
      for (const piece of pieces) if (!this.push(piece)) socket.pause();
    });
    socket.on('end', () => this.push(null));
    socket.on('error', (error) => this.destroy(error));
    socket.on('close', () => this.destroy());
  }

  override _read(): void {
    this.socket.resume();
  }

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    this.socket.write(chunk, done);
  }

  override _writev(chunks: { chunk: Buffer }[], done: (error?: Error | null) => void): void {
    this.socket.cork();
    for (const [index, { chunk }] of chunks.entries())
      this.socket.write(chunk, index === chunks.length - 1 ? done : undefined);
    this.socket.uncork();
  }

  override _final(done: () => void): void {
    this.socket.end(done);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.socket.destroy();
    done(error);
  }
}
