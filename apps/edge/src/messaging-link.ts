import { knownServers, silence } from '@tollgate/messaging';
import { Events } from 'nats';
import type { NatsConnection } from 'nats';

/** How often NATS is asked for a sign of life, and how long it may say nothing at all, milliseconds. One of several servers is left for another before the longer time is over. */
const probeEveryMs = 250;
const silenceMs = 750;
const silenceOfOneMs = 2_000;
/** A connection that was lost may be back at another server within this time, milliseconds: then nobody needs to hear of it. */
const graceMs = 500;

/** Whether this edge can reach NATS now: it is connected, or was just now, and NATS is not silent. */
export class MessagingLink {
  /** Called each time the connection is lost; may be replaced. */
  onLost: () => void = () => undefined;
  /** Called each time it is back. */
  onRestored: () => void = () => undefined;
  private up = true;
  private silent = false;
  private readonly whenAway = new Set<() => void>();

  constructor(readonly connection: NatsConnection) {
    void this.watch();
    void this.watchSilence();
  }

  get isUp(): boolean {
    return this.up && !this.silent && !this.connection.isClosed();
  }

  /** Calls `tell` once, as soon as NATS is away or silent, unless what is returned is called before. */
  onceAway(tell: () => void): () => void {
    this.whenAway.add(tell);
    return () => this.whenAway.delete(tell);
  }

  private tellAway(): void {
    for (const tell of this.whenAway) {
      this.whenAway.delete(tell);
      tell();
    }
  }

  private async watch(): Promise<void> {
    let grace: NodeJS.Timeout | undefined;
    for await (const { type } of this.connection.status()) {
      if (type === Events.Disconnect) {
        clearTimeout(grace);
        if (knownServers(this.connection) > 1) grace = setTimeout(() => this.setUp(false), graceMs).unref();
        else this.setUp(false);
        this.onLost();
      } else if (type === Events.Reconnect) {
        clearTimeout(grace);
        this.setUp(true);
        this.onRestored();
      }
    }
    clearTimeout(grace);
    this.setUp(false);
  }

  private setUp(isUp: boolean): void {
    this.up = isUp;
    if (!isUp) this.tellAway();
  }

  private async watchSilence(): Promise<void> {
    const patienceMs = knownServers(this.connection) > 1 ? silenceOfOneMs : silenceMs;
    for await (const isSilent of silence(this.connection, probeEveryMs, patienceMs)) {
      this.silent = isSilent;
      if (isSilent) this.tellAway();
    }
  }
}
