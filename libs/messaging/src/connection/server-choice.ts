import { DebugEvents, Events } from 'nats';
import type { NatsConnection } from 'nats';
import { NatsConnectionImpl } from 'nats/lib/nats-base-client/internal_mod';
import { createHash } from 'node:crypto';
import { connect } from 'node:net';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { silence } from './silence';

/**
 * How often a server is asked for a sign of life, how long it may say nothing, how often it is seen whether
 * the first choice is back, how long calls under way hold up a move. Milliseconds.
 */
const probeEveryMs = 250;
const silenceMs = 1_000;
const homeEveryMs = 15_000;
const calmMs = 1_000;
/** Not all leave a server at the same moment that asks them to. */
const leaveWithinMs = 300;

/** How many servers the connection may use, with that which it uses. */
export function knownServers(connection: NatsConnection): number {
  return connection instanceof NatsConnectionImpl ? connection.protocol.servers.length() : 1;
}

/**
 * Servers in the order in which this instance likes them: every instance has an order of its own, so that
 * they are spread over all, and also those of a server that ends.
 */
export function inOrderOf(instance: string, servers: readonly string[]): string[] {
  const rank = (server: string) =>
    createHash('sha256')
      .update(`${instance} ${bare(server)}`)
      .digest('hex');
  return [...servers].sort((one, other) => (rank(one) < rank(other) ? -1 : 1));
}

/** What tells two processes of a service apart. */
export function instanceOf(name: string): string {
  return `${name} ${hostname()} ${process.pid}`;
}

/**
 * Sees to it that a client which knows several servers has a good one: it leaves one that says nothing for a
 * second, one that is about to end (lame duck) before that closes its connections, and goes back to its first
 * choice when that has returned. What a move loses on the way, the hop asks for again.
 * @see https://docs.nats.io/running-a-nats-service/nats_admin/lame_duck_mode
 */
export function chooseServers(connection: NatsConnection): void {
  if (connection instanceof NatsConnectionImpl) new ServerChoice(connection).watch();
}

class ServerChoice {
  private readonly preferred: string[];

  constructor(private readonly connection: NatsConnectionImpl) {
    const { options } = connection.protocol;
    const named = [options.servers ?? []].flat().map(bare);
    this.preferred = inOrderOf(instanceOf(options.name ?? ''), named);
  }

  watch(): void {
    this.order();
    void this.watchStatus();
    void this.watchSilence();
    void this.watchHome();
  }

  private async watchStatus(): Promise<void> {
    for await (const { type } of this.connection.status()) {
      // While it dials the library takes one after the other: put back in front, a silent first choice would
      // be tried before one that was not yet.
      if (type !== DebugEvents.Reconnecting) this.order();
      if (type === Events.LDM) void this.leaveInPeace();
    }
  }

  /** Of a single server there is nothing to leave for, and its answers would cost every process, and it. */
  private async watchSilence(): Promise<void> {
    const { connection } = this;
    for await (const isSilent of silence(connection, probeEveryMs, silenceMs, () => this.isOfSeveral))
      if (isSilent) await this.leave();
  }

  private get isOfSeveral(): boolean {
    return this.servers.length > 1;
  }

  private async watchHome(): Promise<void> {
    while (!this.connection.isClosed()) {
      await sleep(homeEveryMs * (0.5 + Math.random()), undefined, { ref: false });
      const home = this.servers.find(({ listen }) => listen === this.preferred[0]);
      if (!home || home === this.current || !(await greets(home.hostname, home.port))) continue;
      this.order(home.listen);
      await this.leaveInPeace();
    }
  }

  private get servers() {
    return this.connection.protocol.servers.getServers();
  }

  private get current() {
    return this.connection.protocol.servers.getCurrentServer();
  }

  /** Moves once no call waits for its answer, which would be lost. */
  private async leaveInPeace(): Promise<void> {
    await sleep(leaveWithinMs * Math.random(), undefined, { ref: false });
    const { reqs } = this.connection.protocol.muxSubscriptions;
    for (const until = Date.now() + calmMs; reqs.size > 0 && Date.now() < until;)
      await sleep(5, undefined, { ref: false });
    await this.leave();
  }

  private async leave(): Promise<void> {
    if (this.isOfSeveral && !this.connection.isClosed()) await this.connection.reconnect();
  }

  /**
   * The library tries servers from the front: those that were named, as this instance likes them, then those
   * that it heard of; and last the one that it has.
   */
  private order(first?: string): void {
    const { current } = this;
    const place = (server: { listen: string }) => {
      if (server.listen === first) return -1;
      if (server === current) return Number.POSITIVE_INFINITY;
      const index = this.preferred.indexOf(server.listen);
      return index < 0 ? this.preferred.length : index;
    };
    this.servers.sort((one, other) => place(one) - place(other));
  }
}

/** As the library calls a server: host and port. */
function bare(server: string): string {
  const host = server.replace(/^[a-z]+:\/\//, '');
  return /:\d+$/.test(host) ? host : `${host}:4222`;
}

/** Whether a nats-server listens there that is not about to end. */
async function greets(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port }).unref();
    const done = (result: boolean) => {
      socket.destroy();
      resolve(result);
    };
    socket.once('data', (greeting) =>
      done(/^INFO /.test(greeting.toString()) && !/"ldm":true/.test(greeting.toString())),
    );
    socket.once('error', () => done(false));
    socket.setTimeout(silenceMs, () => done(false));
  });
}
