import { patience } from './patience';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingHttpHeaders, IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** One request that a scripted upstream got. */
export interface UpstreamVisit {
  /** Counts from 0. */
  readonly number: number;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly response: ServerResponse;
  /** Resolves with `performance.now()` when the connection of this request is closed, by whichever side. */
  readonly closed: Promise<number>;
}

/** Answers one request. It may answer well, badly or not at all; when it throws, the connection is reset. */
export type UpstreamScript = (visit: UpstreamVisit) => void | Promise<void>;

/** Says nothing until the other side goes away. */
export const silence: UpstreamScript = async ({ closed }) => {
  await closed;
};

/**
 * Starts a real HTTP server on a free port of the loopback interface. `script` may be exchanged at any time.
 */
export async function startScriptedUpstream(script: UpstreamScript): Promise<ScriptedUpstream> {
  const upstream = new ScriptedUpstream(script);
  await upstream.listen();
  return upstream;
}

/** A provider that does exactly what a test says, and remembers who came. */
export class ScriptedUpstream {
  readonly visits: UpstreamVisit[] = [];
  /** How many connections were ever opened. */
  connections = 0;
  private readonly server: Server;
  private readonly closings = new WeakMap<Socket, Promise<number>>();

  constructor(public script: UpstreamScript) {
    this.server = createServer((request, response) => void this.visit(request, response));
    this.server.on('connection', () => (this.connections += 1));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async listen(): Promise<void> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
  }

  /** Waits until `count` requests have come. @throws Error when they do not within `timeoutMs`. */
  async visited(count: number, timeoutMs = 5_000): Promise<UpstreamVisit> {
    const giveUpAt = Date.now() + timeoutMs * patience;
    for (;;) {
      const visit = this.visits[count - 1];
      if (visit) return visit;
      if (Date.now() > giveUpAt) throw new Error(`only ${this.visits.length} of ${count} requests came`);
      await sleep(5);
    }
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  /** One promise for each connection, however many requests come over it. */
  private closingOf(socket: Socket): Promise<number> {
    const known = this.closings.get(socket);
    if (known) return known;
    const closing = new Promise<number>((resolve) => socket.once('close', () => resolve(performance.now())));
    this.closings.set(socket, closing);
    return closing;
  }

  private async visit(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { socket } = request;
    const closed = this.closingOf(socket);
    try {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      await once(request, 'end');
      const { url = '/', headers } = request;
      const body = Buffer.concat(chunks);
      const visit = { number: this.visits.length, path: url, headers, body, response, closed };
      this.visits.push(visit);
      await this.script(visit);
    } catch {
      socket.resetAndDestroy();
    }
  }
}
