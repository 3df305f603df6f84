import { connect, createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Starts a forwarder to a port of the loopback interface, so that a test can cut, freeze or slow one client's
 * link while others keep theirs.
 */
export async function startTcpProxy(targetPort: number): Promise<TcpProxy> {
  const proxy = new TcpProxy(targetPort);
  await proxy.listen();
  return proxy;
}

/** Forwards TCP connections until told otherwise. */
export class TcpProxy {
  private readonly server: Server;
  private readonly sockets = new Set<Socket>();
  private state: 'open' | 'frozen' | 'cut' = 'open';
  private delayMs = 0;

  constructor(private targetPort: number) {
    this.server = createServer((socket) => this.forward(socket));
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.server.once('error', reject);
      this.server.listen(0, '127.0.0.1', resolve);
    });
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** Connections that stand now. */
  get links(): number {
    return this.sockets.size / 2;
  }

  /** Connections stay open, but not a byte passes in either direction, until `resume`. */
  freeze(): void {
    this.state = 'frozen';
    for (const socket of this.sockets) socket.pause();
  }

  /** Breaks every connection (what is under way is lost) and refuses new ones until `resume`. */
  cut(): void {
    this.state = 'cut';
    for (const socket of this.sockets) socket.resetAndDestroy();
  }

  /** Leads new connections to another port, and leaves those that stand: a name that is looked up anew. */
  aimNew(port: number): void {
    this.targetPort = port;
  }

  /** Breaks every connection, and leads new ones to another port: an address that moves. */
  aim(port: number): void {
    this.aimNew(port);
    for (const socket of this.sockets) socket.resetAndDestroy();
  }

  /** Every byte takes so much longer, in each direction, until `resume`. */
  slow(delayMs: number): void {
    this.delayMs = delayMs;
  }

  resume(): void {
    this.state = 'open';
    this.delayMs = 0;
    for (const socket of this.sockets) socket.resume();
  }

  async close(): Promise<void> {
    this.cut();
    await new Promise<void>((resolve) => this.server.close(() => resolve()));
  }

  private forward(client: Socket): void {
    if (this.state === 'cut') {
      client.resetAndDestroy();
      return;
    }
    const target = connect({ port: this.targetPort, host: '127.0.0.1' });
    this.join(client, target);
    this.join(target, client);
    if (this.state === 'frozen') for (const socket of [client, target]) socket.pause();
  }

  private join(from: Socket, to: Socket): void {
    from.setNoDelay(true);
    this.sockets.add(from);
    // What came while the link was slow stays in front of what came after.
    let queue: Promise<void> | null = null;
    from.on('data', (chunk) => {
      if (this.delayMs === 0 && !queue) return this.pass(chunk, from, to);
      const due = sleep(this.delayMs);
      const turn = Promise.all([queue, due]).then(() => {
        if (queue === turn) queue = null;
        if (to.writable) this.pass(chunk, from, to);
      });
      queue = turn;
    });
    from.on('error', () => to.destroy());
    from.on('close', () => {
      this.sockets.delete(from);
      to.destroy();
    });
  }

  private pass(chunk: Buffer, from: Socket, to: Socket): void {
    if (to.write(chunk)) return;
    from.pause();
    to.once('drain', () => {
      if (this.state === 'open') from.resume();
    });
  }
}
