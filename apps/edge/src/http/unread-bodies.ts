import { dropPiece } from '@tollgate/messaging';
import { IncomingMessage } from 'node:http';
import type { RequestMessage } from '../generation/inner-exchange';

/** So much of what nobody will read is taken as it comes, bytes: most bodies are no larger. */
const freeBytes = 65_536;
/** Of all the rest one piece, of 64 KiB at most, is taken in each so many milliseconds: 16 MiB a second. */
const everyMs = 4;
/** So long a connection is still read at most whose answer was its last one. */
const lingerMs = 60_000;

/**
 * Takes what is left of bodies that nobody will read, and throws it away: most clients read no answer before
 * they have sent everything. As fast as it comes, the event loop would do little else: 40 bodies of 1 MiB a
 * second cost those beside them 11 ms, four of 29 MiB 32 ms at the 99th percentile (`neighbours`).
 */
class UnreadBodies {
  private readonly waiting: RequestMessage[] = [];
  private timer: NodeJS.Timeout | null = null;

  take(request: RequestMessage): void {
    if (request.destroyed || request.readableEnded) return;
    if (request instanceof IncomingMessage) linger(request);
    let taken = 0;
    request.on('data', (piece: Buffer) => {
      taken += piece.length;
      if (request instanceof IncomingMessage) dropPiece(piece);
      if (taken > freeBytes) this.wait(request);
    });
    request.resume();
  }

  private wait(request: RequestMessage): void {
    request.pause();
    this.waiting.push(request);
    this.timer ??= setInterval(() => this.next(), everyMs).unref();
  }

  /** Those in front that have closed meanwhile take no turn. */
  private next(): void {
    for (let request = this.waiting.shift(); request; request = this.waiting.shift()) {
      if (request.destroyed) continue;
      request.resume();
      return;
    }
    if (this.timer) clearInterval(this.timer);
    this.timer = null;
  }
}

/**
 * Node closes a connection at once behind its last answer; one with unread bytes is reset then, before a
 * caller who still writes gets to read it. Only our side ends here, and the other one when all has come.
 * https://www.rfc-editor.org/rfc/rfc9112#section-9.6
 */
function linger(request: IncomingMessage): void {
  const { socket } = request;
  let isLast = false;
  socket.destroySoon = () => {
    isLast = true;
    socket.end();
    const late = setTimeout(() => socket.destroy(), lingerMs).unref();
    socket.once('close', () => clearTimeout(late));
  };
  request.once('end', () => {
    Reflect.deleteProperty(socket, 'destroySoon');
    if (isLast) socket.destroySoon();
  });
}

const unread = new UnreadBodies();
const withUnread = new WeakSet<object>();

/**
 * What is left of this request's body is read and thrown away, in turns with all others. The server's request
 * timeout bounds that.
 */
export function takeUnread(request: RequestMessage): void {
  if (request instanceof IncomingMessage && !request.complete && hasLargeBody(request)) withUnread.add(request);
  unread.take(request);
}

/**
 * Whether much of this request's body may still have its turn, so that who came behind it on its connection
 * would wait for all bodies that are thrown away: a proxy sends requests of many callers over one. A body in
 * pieces that has not come is taken for much: nobody knows.
 */
export function leavesUnread(request: object): boolean {
  return withUnread.has(request);
}

/** Whether a request comes with a body that Node would not throw away at once by itself. */
export function hasLargeBody({ headers }: RequestMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > freeBytes;
}
