import type { BeforeApplicationShutdown, OnModuleInit } from '@nestjs/common';
import {
  catalogChanged,
  catalogOperations,
  catalogSubjects,
  hasSameContent,
  type ToldSnapshot,
} from '@tollgate/contracts/catalog';
import { Link, subscribeJson, type ControlClient, type NoticeSubscription } from '@tollgate/messaging';
import type { Logger } from '@tollgate/observability';
import type { NatsConnection } from 'nats';
import { Gauge, type Registry } from 'prom-client';

const askTimeoutMs = 3_000;
const retryMs = 1_000;
/** It is asked for this often although no change was told: a notice may be lost, and a secret replaced. */
const everyMs = 30_000;
/** Entries that could not be read, in one line of the log. */
const mostTold = 20;

/**
 * The newest snapshot of the catalog, for the services that do not own it. It is asked for at the start
 * (every second until there is one), at each notice of a change, when the connection is back, and now and
 * then; while catalog is away the last one stays. What runs while a service stops still follows it; the wait
 * for the first one ends then.
 */
export class CatalogFollower implements OnModuleInit, BeforeApplicationShutdown {
  private snapshot: ToldSnapshot | null = null;
  private asking: Promise<void> | null = null;
  private askAgain = false;
  private isToldOf = false;
  private isStopped = false;
  private notices: NoticeSubscription | undefined;
  private timer: NodeJS.Timeout | undefined;
  private endWait: () => void = () => undefined;
  private readonly leftOut: Gauge;
  private readonly wait = new Promise<void>((resolve) => (this.endWait = resolve));

  /**
   * `onSnapshot` is given every answer, also one that is as the last, which has its digest then. What it
   * throws counts as no answer.
   * `registry` tells how much of the last one could not be read.
   */
  constructor(
    private readonly connection: NatsConnection,
    private readonly control: Pick<ControlClient, 'call'>,
    private readonly logger: Logger,
    private readonly onSnapshot: (snapshot: ToldSnapshot) => void,
    registry: Registry,
  ) {
    const help = 'Entries of the newest catalog, or parts of them, that this release does not know';
    this.leftOut = new Gauge({ name: 'tollgate_catalog_entries_left_out', help, registers: [registry] });
  }

  /** Null: none has been received yet. */
  get current(): ToldSnapshot | null {
    return this.snapshot;
  }

  onModuleInit(): void {
    const { changed } = catalogSubjects;
    const hear = ({ revision }: { revision: number }): void => this.noticed(revision);
    this.notices = subscribeJson(this.connection, changed, catalogChanged, hear, this.logger);
    new Link(this.connection, { lost: () => undefined, restored: () => void this.refresh() });
    void this.refresh();
  }

  beforeApplicationShutdown(): void {
    this.isStopped = true;
    this.notices?.unsubscribe();
    clearTimeout(this.timer);
    this.endWait();
  }

  /** Resolves when there is a first snapshot, or the service stops. */
  first(): Promise<void> {
    return this.wait;
  }

  /**
   * Asks for the snapshot. A call that comes while one is under way makes it ask once more. Never rejects.
   */
  refresh(): Promise<void> {
    if (this.isStopped) return Promise.resolve();
    if (this.asking) this.askAgain = true;
    else this.asking = this.ask().finally(() => (this.asking = null));
    return this.asking ?? Promise.resolve();
  }

  /** A notice of a change: asks only for what is not held already. */
  noticed(revision: number): void {
    if (revision !== this.snapshot?.revision) void this.refresh();
  }

  private async ask(): Promise<void> {
    clearTimeout(this.timer);
    let isAnswered: boolean;
    do {
      this.askAgain = false;
      isAnswered = await this.askOnce();
    } while (this.askAgain && !this.isStopped);
    // The notice that made it ask does not come again.
    const inMs = isAnswered ? everyMs : retryMs;
    if (!this.isStopped) this.timer = setTimeout(() => void this.refresh(), inMs).unref();
  }

  private async askOnce(): Promise<boolean> {
    try {
      const snapshot = await this.newest();
      if (!this.snapshot || !hasSameContent(this.snapshot, snapshot)) this.tellLeftOut(snapshot);
      this.snapshot = snapshot;
      this.onSnapshot(snapshot);
      this.endWait();
      return true;
    } catch (error) {
      this.tell(error);
      return false;
    }
  }

  /** To read all of it takes the event loop for tens of milliseconds: not what is here already. */
  private async newest(): Promise<ToldSnapshot> {
    const { snapshot: held, control } = this;
    const patience = { timeoutMs: askTimeoutMs };
    if (held?.digest === undefined) return control.call(catalogOperations.snapshot, {}, patience);
    const told = await control.call(catalogOperations.snapshotUnless, { unless: held.digest }, patience);
    return 'isSame' in told ? { ...held, revision: told.revision } : told;
  }

  /** A catalog of a newer release knows what this one does not: the rest of it is used. */
  private tellLeftOut({ revision, leftOut }: ToldSnapshot): void {
    this.leftOut.set(leftOut.length);
    if (leftOut.length === 0) return;
    const first = leftOut.slice(0, mostTold);
    this.logger.warn(
      { revision, count: leftOut.length, first },
      'parts of the catalog are not known to this release, and left out',
    );
  }

  /**
   * At a start of everything catalog is still on its way: that is said once, and not with a stack each
   * second. `/readyz` names it as missing.
   */
  private tell(error: unknown): void {
    if (this.snapshot) this.logger.warn({ err: error }, 'catalog did not answer; the last snapshot stays in use');
    else if (!this.isToldOf) this.logger.info(`waiting for the first snapshot: ${String(error)}`);
    this.isToldOf = true;
  }
}
