import { EventLoopTurns } from '@tollgate/messaging';
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Server as TlsServer } from 'node:tls';
import { leavingTurns } from '../generation/in-turns';

/**
 * So many requests may wait on a connection behind the one that is answered. Who sends more is cut off, and
 * sends again what was not answered: https://www.rfc-editor.org/rfc/rfc9112#section-9.3.2
 */
export const mostPipelined = 100;

/** So many of all that waited begin in a turn of the event loop: some two milliseconds of work. */
const mostBegun = 8;
/** So many of those before which none is answered on their connections. */
const mostFirst = 16;

/** Of all requests that are the first on their connections, and of those for another protocol. */
export const firstTurns = new EventLoopTurns(mostFirst);

/** So many that wait cost as much as their connection does when it closes. */
const waitingPerLeaving = 8;

type Waiting = () => void;

/** Whether the turn of a connection to close comes, or has come. Some are handed on twice (`upgrades.ts`). */
const isClosing = new WeakMap<Socket, boolean>();

/**
 * Lets a connection close in its turn. Node ends each request that waits on it, at a hundredth of a
 * millisecond: 300 connections with fifty each that were reset together kept the event loop for 150 ms.
 * Nothing is read of it meanwhile: a request that came would be begun, and cut off.
 */
function closeInTurns(socket: Socket, waiting: () => number): void {
  if (isClosing.has(socket)) return;
  isClosing.set(socket, false);
  const destroy = socket.destroy.bind(socket);
  socket.destroy = (error) => {
    if (isClosing.get(socket)) return socket;
    isClosing.set(socket, true);
    socket.pause();
    leavingTurns.soon(() => void destroy(error), 1 + waiting() / waitingPerLeaving);
    return socket;
  };
}

/** Whether anybody is there still for whom a request would begin. */
export function mayBegin(socket: Socket): boolean {
  return socket.writable && !isClosing.get(socket);
}

/**
 * Begins a request when the one before it on its connection was answered, in one of the next turns of the
 * event loop, a few in each; those that are the first on their connections at once, but for what comes in one
 * turn beyond a few. Node hands on all that come with one read of a socket, 400 of them, so that 600
 * connections that sent 20 each left nobody else a turn for as long as all took; and it keeps what is
 * answered where nobody reads.
 */
export function oneAtATime(server: Server): void {
  const handle = server.listeners('request') as RequestListener[];
  server.removeAllListeners('request');
  const later = new EventLoopTurns(mostBegun);
  /** Who waits on each connection on which a request is answered. */
  const lines = new WeakMap<Socket, Waiting[]>();
  server.on(server instanceof TlsServer ? 'secureConnection' : 'connection', (socket: Socket) =>
    closeInTurns(socket, () => lines.get(socket)?.length ?? 0),
  );

  const begin = (request: IncomingMessage, response: ServerResponse, line: Waiting[]) => {
    const { socket } = request;
    response.once('close', () => {
      const next = line.shift();
      if (!next) lines.delete(socket);
      else later.next(() => mayBegin(socket) && next());
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
      firstTurns.soon(() => mayBegin(socket) && begin(request, response, line));
    } else if (before.push(() => begin(request, response, before)) > mostPipelined) socket.destroy();
  });
}
