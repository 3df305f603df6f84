import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Connections that proxies opened ahead and never used. Node takes them for busy ones, and while a server
 * closes it no longer ends them for their silence: without this a stop waits for them. (Not for those with
 * TLS of our own: their handshake looks like use.)
 */
export class UnusedConnections {
  private readonly open = new Set<Socket>();

  constructor(server: Server) {
    server.on('connection', (socket: Socket) => {
      this.open.add(socket);
      socket.once('close', () => this.open.delete(socket));
    });
  }

  close(): void {
    for (const socket of this.open) if (socket.bytesRead === 0) socket.destroy();
  }
}
