import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * So many requests may wait on a connection behind the one that is answered. Who sends more is cut off, and
 * sends again what was not answered: https://www.rfc-editor.org/rfc/rfc9112#section-9.3.2
 */
export const mostPipelined = 100;

/** So many of all that waited begin in a turn of the event loop: some two milliseconds of work. */
const mostBegun = 8;

type Waiting = () => void;

/** What begins in the next turns of the event loop, in the order in which it came. */
class BeginningTurns {
  private readonly waiting: Waiting[] = [];

  next(begin: Waiting): void {
    if (this.waiting.push(begin) === 1) setImmediate(this.turn);
  }

  private readonly turn = (): void => {
    for (const begin of this.waiting.slice(0, mostBegun)) begin();
    this.waiting.splice(0, mostBegun);
    if (this.waiting.length > 0) setImmediate(this.turn);
  };
}

/**
 * Begins a request when the one before it on its connection was answered, in one of the next turns of the
 * event loop, a few in each. Node hands on all that come with one read of a socket, 400 of them, so that 600
 * connections that sent 20 each left nobody else a turn for as long as all took; and it keeps what is
 * answered where nobody reads.
 */
export function oneAtATime(server: Server): void {
  const handle = server.listeners('request') as RequestListener[];
  server.removeAllListeners('request');
  const turns = new BeginningTurns();
  /** Who waits on each connection on which a request is answered. */
  const lines = new WeakMap<Socket, Waiting[]>();

  const begin = (request: IncomingMessage, response: ServerResponse, line: Waiting[]) => {
    const { socket } = request;
    response.once('close', () => {
      const next = line.shift();
      if (!next) lines.delete(socket);
      else turns.next(() => socket.writable && next());
    });
    for (const listener of handle) listener.call(server, request, response);
  };

  server.on('request', (request, response) => {
    const { socket } = request;
    // Of what came with the read that was too much, Node hands on the rest as well.
    if (!socket.writable) return;
    const before = lines.get(socket);
    if (!before) {
      const line: Waiting[] = [];
      lines.set(socket, line);
      begin(request, response, line);
    } else if (before.push(() => begin(request, response, before)) > mostPipelined) socket.destroy();
  });
}
