import type { Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import type { OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyAdapter } from '@nestjs/platform-fastify';
import { Settings } from '../settings';
import { oneAtATime } from './pipelined';

const drainPollMs = 50;
/** Whoever opened a connection before a stop and sends nothing for so long has not much to say. */
const unusedPatienceMs = 3_000;
/** Node's own: https://nodejs.org/api/net.html#serverlisten */
const mostWaiting = 511;

/** The server that callers reach: how many may connect, and how it closes. */
@Injectable()
export class EdgeServer implements OnModuleInit {
  private unused: UnusedConnections | undefined;

  constructor(
    @Inject(HttpAdapterHost) private readonly host: HttpAdapterHost<FastifyAdapter>,
    private readonly settings: Settings,
  ) {}

  onModuleInit(): void {
    this.server.maxConnections = this.settings.maxConnections;
    oneAtATime(this.server);
    passOverExpectations(this.server);
    this.unused = new UnusedConnections(this.server);
  }

  /** The port that it listens on. @throws Error before it does. */
  get port(): number {
    const address = this.server.address() as AddressInfo | null;
    if (!address) throw new Error('The server does not listen.');
    return address.port;
  }

  /**
   * Takes no new connections. Resolves when the last one has ended and nothing is busy any more, after
   * `patienceMs` at the latest.
   */
  async drain(isBusy: () => boolean, patienceMs: number): Promise<void> {
    const { server } = this;
    await acceptWhoWaits(server);
    server.close();
    const closedAtMs = performance.now();
    const giveUpAtMs = closedAtMs + patienceMs;
    while ((isBusy() || (await countConnections(server)) > 0) && performance.now() < giveUpAtMs) {
      server.closeIdleConnections();
      if (performance.now() > closedAtMs + unusedPatienceMs) this.unused?.close();
      await sleep(drainPollMs);
    }
  }

  /** Cuts what is left. */
  cut(): void {
    this.server.closeAllConnections();
  }

  private get server(): Server {
    return this.host.httpAdapter.getHttpServer();
  }
}

/**
 * Serves a request with an `Expect` that is not known. A server may
 * (https://www.rfc-editor.org/rfc/rfc9110#section-10.1.1), and Node's own refusal has no body and no request
 * id.
 */
function passOverExpectations(server: Server): void {
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
}

/**
 * Whoever connected while the event loop was late has sent a request and would be reset, which a proxy must
 * not send to another edge. A turn of the loop accepts one of those who wait, and the one under way may be
 * past that: nobody waits any more after two in a row that accepted nobody. Who comes anew meanwhile is
 * accepted too, so that it ends in any case after as many turns as callers may wait.
 * https://github.com/libuv/libuv/pull/3696
 */
async function acceptWhoWaits(server: Server): Promise<void> {
  let vainTurns = 0;
  const accepted = () => (vainTurns = 0);
  server.on('connection', accepted);
  for (let turn = 0; vainTurns < 2 && turn < mostWaiting; turn++) {
    vainTurns++;
    await new Promise((resolve) => setImmediate(resolve));
  }
  server.off('connection', accepted);
}

function countConnections(server: Server): Promise<number> {
  return new Promise((resolve) => server.getConnections((error, count) => resolve(error ? 0 : count)));
}

/**
 * Connections that proxies opened ahead and never used. Node takes them for busy ones, and while a server
 * closes it no longer ends them for their silence: without this a stop waits for them. (Not for those with
 * TLS of our own: their handshake looks like use.)
 */
class UnusedConnections {
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
