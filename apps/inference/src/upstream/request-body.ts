import { Readable } from 'node:stream';

/** From this size on, in bytes, a piece is sent from where it lies; smaller ones are copied together. */
const largePieceBytes = 65_536;

/**
 * A request body as undici takes it. A copy of what is large would be memory that V8 counts, and collects the
 * whole heap for after each 64 MB.
 */
export function requestBody(pieces: readonly Uint8Array[]): Uint8Array | Readable {
  const few = fewPieces(pieces);
  const [only = new Uint8Array(0)] = few;
  return few.length > 1 ? new PiecedBody(few) : only;
}

/**
 * All pieces at once, however full the socket is: a provider that answers before it has read all, and closes,
 * is heard while a write waits, and not where a next one fails. They are in memory anyway.
 */
class PiecedBody extends Readable {
  constructor(pieces: readonly Uint8Array[]) {
    super({ read: () => undefined });
    for (const piece of pieces) this.push(piece);
    this.push(null);
  }

  override pause(): this {
    return this;
  }
}

/** The same bytes, of which no two small pieces follow each other: each piece is a call of the system. */
function fewPieces(pieces: readonly Uint8Array[]): Uint8Array[] {
  const few: Uint8Array[] = [];
  let small: Uint8Array[] = [];
  const join = (): void => {
    if (small.length > 0) few.push(Buffer.concat(small));
    small = [];
  };
  for (const piece of adjoined(pieces)) {
    if (piece.length < largePieceBytes) {
      small.push(piece);
      continue;
    }
    join();
    few.push(piece);
  }
  join();
  return few;
}

/** Pieces of one memory that follow each other there are one. */
function adjoined(pieces: readonly Uint8Array[]): Uint8Array[] {
  const all: Uint8Array[] = [];
  for (const piece of pieces) {
    const last = all.at(-1);
    const follows = last?.buffer === piece.buffer && last.byteOffset + last.length === piece.byteOffset;
    if (last && follows) all[all.length - 1] = Buffer.from(last.buffer, last.byteOffset, last.length + piece.length);
    else if (piece.length > 0) all.push(piece);
  }
  return all;
}
