import type { EdgeLimitsNotice } from '@tollgate/contracts/edge';
import type { Logger } from '@tollgate/observability';
import type { Clock } from '../../clock';
import { windowMs } from '../rolling-log';
import type { AgreementListener } from './edge-link';
import { EdgePeers, goneMs } from './edge-peers';
import { LateUnits, UnitLedger } from './unit-ledger';
import type { LogAnswer } from './log-scripts';
import { shareState, type ShareState } from './share';
import type { CommonLog } from './valkey-log';

/**
 * Edges that do not answer a change are waited for until they are found to be gone, and two seconds more at
 * most.
 */
const settleTimeoutMs = goneMs + 2_000;
/** How long a starting edge waits for the others to know it. */
const knownTimeoutMs = 500;
/** How long a request waits for an edge that does not hear itself, or does not know what others took. */
const patienceMs = 1_000;
/** How long a starting edge waits to hear the others, and for Valkey. */
const helloMs = 200;
const firstJoinMs = 1_500;

/**
 * How the edges agree on who decides, so that no 60 seconds ever see more than the limit:
 * - Shared: Valkey's log alone decides. An edge stands so only while every live edge has all its units in the
 *   same Valkey.
 * - Alone: an edge that lost Valkey says so, and all others leave the shared standing. Requests wait until
 *   every edge has confirmed that (or is gone), by when each knows every unit that was ever taken: these are
 *   settled, and from what they leave of the limit each edge has its share.
 * - Joined: an edge that has Valkey again puts in what it took meanwhile; the oldest also puts in all that is
 *   settled, if the server is a new one. Now both must allow a request, the share and Valkey. When all have
 *   joined, Valkey's log is whole, and all stand shared again.
 *
 * Who is unsure decides nothing:
 * - An edge that does not hear itself on the bus refuses before the others take it for gone.
 * - One that missed something is blind: it takes nothing by itself until it has read Valkey's log anew, or
 *   for a minute; it borrows.
 * - One that fell silent keeps its share for a minute, since nobody knows what it took of it. What a leaving
 *   edge took is put into Valkey by the others.
 * - One that stands shared answers no request beyond an even part of the limit before it has heard itself say
 *   what it took. So much the others leave out for a minute when it falls silent, and fill no new Valkey.
 *
 * `agreement.simulation.spec` plays all this by chance.
 */
export class Agreement {
  readonly ledger = new UnitLedger();
  /**
   * Until then this edge cannot know what others took, monotonic milliseconds: it takes nothing by itself.
   */
  blindUntilMs = -Infinity;
  /**
   * Until then it does not know for certain which edges there were in the last minute, or they not of it,
   * monotonic milliseconds. Then it is blind as well.
   */
  unknownUntilMs = -Infinity;

  private readonly peers: EdgePeers;
  private readonly late = new LateUnits();
  private settling: { term: number; promise: Promise<void>; resolve: () => void } | null = null;
  /** The server whose log is whole, as far as this edge has seen. */
  private wholeRun: string | null = null;
  private isCompleting = false;
  /** Of the requests that wait for this edge to hear itself; null: none does. */
  private reaching: Promise<void> | null = null;
  private hasReached: () => void = () => undefined;
  /** Of the requests that wait for this edge to know what others took; null: none does. */
  private knowing: Promise<void> | null = null;
  private isStopped = false;

  constructor(
    private readonly edgeId: string,
    private readonly log: CommonLog,
    publish: (notice: EdgeLimitsNotice) => void,
    private readonly clock: Clock,
    private readonly logger: Logger,
    private readonly listener: AgreementListener,
  ) {
    this.peers = new EdgePeers(edgeId, publish, clock, {
      tookUnits: (edge, shared, units) => this.heardUnits(edge, shared, units),
      settled: (edge) => void this.ledger.settle(edge),
      gone: (edge, edgesRun) => this.takeOver(edge, edgesRun),
      missed: (what) => {
        this.beBlind(what);
        void this.learn();
      },
      changed: () => this.consider(),
      reached: () => {
        this.hasReached();
        if (!this.isShared) this.consider();
      },
    });
  }

  get isShared(): boolean {
    return this.peers.standing.shared;
  }

  /** True while requests must wait: the edges are about to leave the shared standing. */
  get isUnsettled(): boolean {
    return this.settling !== null;
  }

  /** Resolves when they have. */
  async settled(): Promise<void> {
    await this.settling?.promise;
  }

  /** The ids of all live edges, the oldest first. */
  edges(): string[] {
    return this.peers.live();
  }

  /** What one edge may take alone of a key, and when the next unit. */
  shareOf(edgeId: string, keyId: string, limit: number): ShareState {
    const nowMs = this.clock.monotonicMs();
    const left = limit - this.peers.unknownOf(limit);
    return shareState(this.ledger.of(keyId, nowMs), left, this.peers.sharers(), edgeId, nowMs);
  }

  /** How many edges lived at any time in the last 60 seconds, this one included. */
  get edgesOfLastMinute(): number {
    return this.peers.ofLastMinute;
  }

  /**
   * True when this edge may decide nothing: it has stopped, or does not hear itself, so that the others may
   * be about to take it for gone.
   */
  get isDeaf(): boolean {
    return this.isStopped || this.peers.isDeaf;
  }

  /**
   * Resolves when it hears itself again, or a second after the first request began to wait for that. It is
   * tried at once.
   */
  reached(): Promise<void> {
    this.reaching ??= this.reach();
    return this.reaching;
  }

  /** True when this edge takes nothing by itself, as it cannot know what others took. */
  get isBlind(): boolean {
    return this.blindUntilMs > this.clock.monotonicMs();
  }

  /**
   * Resolves when it knows, or Valkey decides for all, or a second after the first request began to wait for
   * that.
   */
  known(): Promise<void> {
    this.knowing ??= this.until(() => this.isShared || !this.isBlind, patienceMs).finally(() => {
      this.knowing = null;
    });
    return this.knowing;
  }

  private async reach(): Promise<void> {
    const reached = new Promise<void>((resolve) => (this.hasReached = resolve));
    try {
      if (!this.isStopped) this.peers.tell();
      await Promise.race([reached, this.clock.sleep(patienceMs)]);
    } finally {
      this.reaching = null;
    }
  }

  hear(notice: EdgeLimitsNotice): void {
    this.peers.hear(notice);
  }

  /** Hears the others, joins Valkey, and then makes itself known. Resolves when it may take units. */
  async start(): Promise<void> {
    // They answer, and do not count this edge yet.
    this.peers.tell();
    await this.clock.sleep(helloMs);
    // What older edges took was told before this one listened.
    if (this.edges()[0] !== this.edgeId) this.beBlind('edges');
    this.log.open({ up: (run) => void this.join(run), down: () => this.lost() });
    await this.until(() => this.isShared, firstJoinMs);
    // Those that answered late are older, too.
    if (!this.isBlind && this.edges()[0] !== this.edgeId) this.beBlind('edges');
    if (!this.isShared) this.logger.warn('Rate limits begin without Valkey: each edge works within its share');
    this.peers.begin();
    await this.learn();
    await this.until(() => this.peers.haveAllSeen(this.peers.term), knownTimeoutMs);
  }

  stop(): void {
    this.isStopped = true;
    this.log.close();
    this.peers.leave();
  }

  /**
   * Valkey granted a unit, in the shared standing. Null: it may be used. Else it resolves when the others
   * know of it, to false when they may not: then it may not be used.
   */
  tookShared(keyId: string, limit: number): Promise<boolean> | null {
    this.ledger.add(keyId, null, this.clock.monotonicMs());
    this.peers.took(keyId, 1);
    return this.peers.isCovered(keyId, limit) ? null : this.peers.tellAndHear();
  }

  /** Sets a unit of this edge's share aside. Returns how to undo that; `keep` makes it known. */
  takeAlone(keyId: string, member: string, nowMs: number): () => void {
    this.ledger.add(keyId, this.edgeId, nowMs);
    this.late.push(keyId, member, nowMs, this.peers.standing.run);
    return () => this.remove(keyId, member);
  }

  /**
   * Asks Valkey too, once this edge has joined. Null: it has not.
   * @throws Error when Valkey does not answer.
   */
  async confirm(keyId: string, limit: number, member: string): Promise<LogAnswer | null> {
    return this.peers.standing.run === null ? null : this.log.take(keyId, limit, member);
  }

  keep(keyId: string): void {
    this.peers.took(keyId, 1);
  }

  gaveBack(keyId: string, member: string): void {
    this.remove(keyId, member);
    this.peers.took(keyId, -1);
  }

  /**
   * Learns what all edges took from Valkey's log, which is whole while this edge stands shared; all that
   * comes later it hears.
   */
  private async learn(): Promise<void> {
    if (!this.isShared || this.blindUntilMs === -Infinity) return;
    const blindUntilMs = this.blindUntilMs;
    const readAtMs = this.clock.monotonicMs();
    try {
      for await (const { keyId, agesMs } of this.log.read()) {
        const nowMs = this.clock.monotonicMs();
        const times = agesMs.map((ageMs) => Math.min(nowMs - ageMs, readAtMs));
        this.ledger.reread(keyId, times, readAtMs);
      }
      if (!this.isShared || this.blindUntilMs !== blindUntilMs) return;
      this.blindUntilMs = this.unknownUntilMs = -Infinity;
      this.peers.knowsSilent();
    } catch (error) {
      this.logger.debug({ err: error }, 'Valkey went away while its log was read');
    }
  }

  private beBlind(what: 'units' | 'edges'): void {
    this.blindUntilMs = this.clock.monotonicMs() + windowMs;
    if (what === 'edges') this.unknownUntilMs = this.blindUntilMs;
  }

  private async until(holds: () => boolean, timeoutMs: number): Promise<void> {
    const giveUpAtMs = this.clock.monotonicMs() + timeoutMs;
    while (!holds() && this.clock.monotonicMs() < giveUpAtMs) await this.clock.sleep(5);
  }

  private remove(keyId: string, member: string): void {
    this.ledger.remove(keyId, this.isShared ? null : this.edgeId, this.clock.monotonicMs());
    this.late.remove(member);
  }

  private heardUnits(edge: string, shared: boolean, units: EdgeLimitsNotice['units']): void {
    const nowMs = this.clock.monotonicMs();
    for (const [keyId, count] of units) {
      this.ledger.change(keyId, shared ? null : edge, count, nowMs);
      if (count <= 0) this.listener.gaveBack(keyId);
    }
  }

  private lost(): void {
    if (this.isStopped) return;
    this.logger.warn('Valkey is away: each edge works within its share of every rate limit');
    this.stand({ run: null, complete: false, shared: false });
  }

  /**
   * Leaves the shared standing, or says that Valkey is away: from now on nothing is decided until all edges
   * know.
   */
  private stand(standing: Partial<EdgePeers['standing']>): void {
    this.peers.stand(standing);
    this.settling?.resolve();
    let resolve: () => void = () => undefined;
    const promise = new Promise<void>((done) => (resolve = done));
    const settling = { term: this.peers.term, promise, resolve };
    this.settling = settling;
    this.clock.after(settleTimeoutMs, () => this.endSettling(settling));
    this.listener.changed();
    this.consider();
  }

  private endSettling(settling: Agreement['settling']): void {
    if (settling === null || this.settling !== settling) return;
    this.settling = null;
    settling.resolve();
    this.consider();
  }

  /**
   * Valkey answers (again): it gets all that it lacks of this edge's units. A failure ends the connection,
   * and the next one begins anew.
   */
  private async join(run: string): Promise<void> {
    try {
      await this.listener.joining();
      // Nothing may be waited for between the look that finds nothing missing and the word that says so.
      for (;;) {
        await this.settled();
        const missing = this.late.missingIn(run, this.clock.monotonicMs());
        if (missing.length === 0) break;
        await this.log.add(missing);
        this.late.arrived(missing, run);
      }
      if (this.log.currentRun !== run || this.isStopped) return;
      this.peers.stand({ run, complete: this.wholeRun === run });
      this.consider();
    } catch (error) {
      this.logger.debug({ err: error }, 'Valkey went away while the edge joined it');
    }
  }

  /**
   * What an edge took that is gone now must be in the common log before that decides again: every edge puts
   * it in, under the same names. A blind edge may lack some of that, as may one that starts: it calls no log
   * whole that the other had not joined.
   */
  private takeOver(edge: string, edgesRun: string | null): void {
    if ((this.isBlind || !this.peers.hasBegun) && edgesRun !== this.wholeRun) this.wholeRun = null;
    const units = this.ledger.settle(edge);
    units.forEach(({ keyId, atMs }, index) => this.late.push(keyId, `${edge}:heard:${index}`, atMs, edgesRun));
    const { run } = this.peers.standing;
    if (run === null || run === edgesRun || (units.length === 0 && !this.isBlind)) return;
    this.peers.stand({ run: null, complete: false });
    void this.join(run);
  }

  /** Acts on how all edges stand. */
  private consider(): void {
    if (this.isStopped) return;
    if (this.settling && this.peers.haveAllLeft(this.settling.term)) return this.endSettling(this.settling);
    this.wholeRun = this.peers.wholeRun ?? this.wholeRun;
    const { run, shared } = this.peers.standing;
    if (run !== null && !this.settling && !this.peers.hasComplete(run)) this.makeWhole(run);
    const mayShare = run !== null && !this.settling && this.peers.allJoined(run);
    if (shared && !mayShare) this.stand({ shared: false });
    else if (!shared && mayShare) this.share();
    else if (!shared) this.listener.changed();
  }

  private share(): void {
    this.wholeRun = this.peers.standing.run;
    this.peers.stand({ shared: true, complete: true });
    this.ledger.settle(this.edgeId);
    this.late.clear();
    // One that starts learns at its end, of all that it has met by then.
    if (this.peers.hasBegun) void this.learn();
    this.logger.info('All edges decide rate limits by the log in Valkey');
    this.listener.changed();
  }

  /**
   * The edge that told of a whole log is gone: it still is one, as all put into it what they take. A new
   * server's is made whole by the oldest edge, which knows most, unless it missed something or may have.
   */
  private makeWhole(run: string): void {
    if (run === this.wholeRun) this.peers.stand({ complete: true });
    else if (this.isBlind || this.isDeaf || this.peers.hasSilent) return;
    else if (this.edges()[0] === this.edgeId) void this.complete(run);
  }

  /** Puts all settled units into a server that is new. */
  private async complete(run: string): Promise<void> {
    if (this.isCompleting) return;
    this.isCompleting = true;
    try {
      const ages = this.ledger.settledAges(this.clock.monotonicMs());
      await this.log.add(ages.map((unit, index) => ({ ...unit, member: `${this.edgeId}:settled:${index}` })));
      if (this.log.currentRun !== run || this.peers.standing.run !== run) return;
      this.wholeRun = run;
      this.peers.stand({ complete: true });
    } catch (error) {
      this.logger.debug({ err: error }, 'Valkey went away while it was filled');
    } finally {
      this.isCompleting = false;
    }
    this.consider();
  }
}
