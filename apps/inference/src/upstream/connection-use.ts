import { subscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';

/**
 * A provider that closes a connection while a request is on its way to it is heard of within the time of a
 * way there and back. One that closes later may have worked on it.
 */
const closedWithinMs = 1_000;

/** One for all: each has the text of a stack made of it. */
const closedByUs = new Error('closed by the gateway');

/** Connections on which a request went out. */
const used = new WeakSet<Socket>();
/** Of the request that undici is about to write. */
let beginning: ConnectionUse | null = null;

/**
 * What one request found of the connection that it went out on. undici names that right before it writes, in
 * the same turn: https://undici.nodejs.org/#/docs/api/DiagnosticsChannel
 */
export class ConnectionUse {
  private socket: Socket | null = null;
  private wasUsed = false;
  private bytesBefore = 0;
  private readonly sinceMs = performance.now();

  /** To be called when undici begins a request. */
  static begin(): ConnectionUse {
    beginning = new ConnectionUse();
    return beginning;
  }

  /**
   * Whether the provider had kept the connection, and closed it as the request came: a moment later, in order
   * and without a byte. `detail`: the code of what was lost. A reset may throw away what it had answered.
   */
  foundClosed(detail: string | null): boolean {
    const { socket, wasUsed, bytesBefore, sinceMs } = this;
    if (!wasUsed || (detail !== 'UND_ERR_SOCKET' && detail !== 'EPIPE')) return false;
    return socket?.bytesRead === bytesBefore && performance.now() - sinceMs < closedWithinMs;
  }

  /**
   * Closes the connection under the request, which must not be over; false: it has none yet. undici would
   * close it, too, and open another one at once for the request that was on it, which nobody wants any more:
   * a handshake for each caller who leaves.
   */
  close(): boolean {
    this.socket?.destroy(closedByUs);
    return this.socket !== null;
  }

  goesOutOn(socket: Socket): void {
    this.socket = socket;
    this.wasUsed = used.has(socket);
    this.bytesBefore = socket.bytesRead;
    used.add(socket);
  }
}

subscribe('undici:client:sendHeaders', (message) => {
  beginning?.goesOutOn((message as { socket: Socket }).socket);
  beginning = null;
});
