import { Events } from 'nats';
import type { NatsConnection } from 'nats';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';

/** How often NATS is asked for a sign of life, and how long it may say nothing at all, milliseconds: a server or network that hangs keeps its connections open. */
const probeEveryMs = 250;
const silenceMs = 750;

/** Whether this edge can reach NATS now: it is connected, and NATS is not silent. */
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
    void this.probe();
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
    for await (const { type } of this.connection.status()) {
      if (type === Events.Disconnect) {
        this.up = false;
        this.tellAway();
        this.onLost();
      } else if (type === Events.Reconnect) {
        this.up = true;
        this.onRestored();
      }
    }
    this.up = false;
    this.tellAway();
  }

  private async probe(): Promise<void> {
    while (!this.connection.isClosed()) {
      await sleep(probeEveryMs, undefined, { ref: false });
      if (!this.up) continue;
      // It also ends when the connection breaks.
      const answered = this.connection.rtt().then(
        () => true,
        () => true,
      );
      let heard = this.connection.stats().inMsgs;
      while (!(await Promise.race([answered, lateness()]))) {
        // What else comes shows that it lives: its answer only waits behind that.
        const { inMsgs } = this.connection.stats();
        this.silent = inMsgs === heard;
        heard = inMsgs;
        if (this.silent) this.tellAway();
      }
      this.silent = false;
    }
  }
}

/** Resolves with false when an answer is late. An answer that arrived while this process was busy is read before that. */
async function lateness(): Promise<false> {
  await sleep(silenceMs, undefined, { ref: false });
  await nextTurn();
  await nextTurn();
  return false;
}
