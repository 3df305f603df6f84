import { Inject, Injectable } from '@nestjs/common';
import { knownServers, silence, TransientSet } from '@tollgate/messaging';
import { NATS } from '@tollgate/service';
import { Events } from 'nats';
import type { NatsConnection } from 'nats';

/**
 * How often NATS is asked for a sign of life, and how long it may say nothing at all, milliseconds. One of
 * several servers is left for another before the longer time is over.
 */
const probeEveryMs = 250;
const silenceMs = 750;
const silenceOfOneMs = 2_000;
/**
 * A connection that was lost may be back within this time, milliseconds, at another server or, where that
 * closed it to be asked with a new password, at the same one: then nobody needs to hear of it.
 */
const graceMs = 500;
/**
 * So long a request waits for a server that is silent, and so long after it fell silent at the most,
 * milliseconds: on a busy machine it may only be late. Whoever comes later hears at once that it is away.
 */
const lateMs = 600;
const lateForMs = 2_000;

/** Whether this edge can reach NATS now: it is connected, or was just now, and NATS is not silent. */
@Injectable()
export class MessagingLink {
  private up = true;
  private silent = false;
  /** By this process's steady clock, as the next. */
  private silentSinceMs = 0;
  /** When a silence was over: NATS was heard, or the connection broke in that moment. */
  private silentUntilMs = -Infinity;
  private readonly whenAway = new TransientSet<() => void>();
  /** Told when it is heard again, or the connection broke. */
  private readonly whenDecided = new Set<() => void>();

  constructor(@Inject(NATS) readonly connection: NatsConnection) {
    void this.watch();
    void this.watchSilence();
  }

  get isUp(): boolean {
    return !this.isLost && !this.silent;
  }

  /** Whether the connection is lost, and not only silent. */
  get isLost(): boolean {
    return !this.up || this.connection.isClosed();
  }

  /** Whether NATS can be reached. One that fell silent just now is waited for. */
  async isUpSoon(): Promise<boolean> {
    const leftMs = Math.min(lateMs, this.silentSinceMs + lateForMs - performance.now());
    if (!this.silent || !this.up || leftMs <= 0) return this.isUp;
    await new Promise<void>((resolve) => {
      const decided = (): void => {
        clearTimeout(timer);
        this.whenDecided.delete(decided);
        resolve();
      };
      const timer = setTimeout(decided, leftMs);
      this.whenDecided.add(decided);
    });
    return this.isUp;
  }

  /** Calls `tell` once, as soon as NATS is away or silent, unless what is returned is called before. */
  onceAway(tell: () => void): () => void {
    this.whenAway.add(tell);
    return () => this.whenAway.delete(tell);
  }

  private tellAway(): void {
    for (const tell of this.whenAway) {
      if (this.whenAway.delete(tell)) tell();
    }
  }

  private tellDecided(): void {
    for (const tell of [...this.whenDecided]) tell();
  }

  private async watch(): Promise<void> {
    let grace: NodeJS.Timeout | undefined;
    for await (const { type } of this.connection.status()) {
      if (type === Events.Disconnect) {
        clearTimeout(grace);
        if (this.onlyOneIsSilent) this.setUp(false);
        else grace = setTimeout(() => this.setUp(false), graceMs).unref();
      } else if (type === Events.Reconnect) {
        clearTimeout(grace);
        this.setUp(true);
      }
    }
    clearTimeout(grace);
    this.setUp(false);
  }

  /** A server that was silent until its connection was given up is not back soon, and there is no other. */
  private get onlyOneIsSilent(): boolean {
    const isSilent = this.silent || performance.now() - this.silentUntilMs < probeEveryMs;
    return isSilent && knownServers(this.connection) === 1;
  }

  private setUp(isUp: boolean): void {
    this.up = isUp;
    this.tellDecided();
    if (!isUp) this.tellAway();
  }

  private async watchSilence(): Promise<void> {
    const patienceMs = knownServers(this.connection) > 1 ? silenceOfOneMs : silenceMs;
    for await (const isSilent of silence(this.connection, probeEveryMs, patienceMs)) {
      if (isSilent && !this.silent) this.silentSinceMs = performance.now();
      if (!isSilent && this.silent) this.silentUntilMs = performance.now();
      this.silent = isSilent;
      if (isSilent) this.tellAway();
      else this.tellDecided();
    }
  }
}
