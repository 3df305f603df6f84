import type { EdgeLimitsNotice } from '@tollgate/contracts';
import type { Clock } from '../../clock';

const heartbeatMs = 1_000;
/** An edge that was not heard for this long is gone. */
const goneMs = 3_500;
/** Units are told together after this long. */
const gatherMs = 10;

/** How an edge stands to Valkey, as EdgeLimitsNotice tells it. */
export type Standing = Pick<EdgeLimitsNotice, 'run' | 'complete' | 'shared'>;

interface Peer extends Omit<EdgeLimitsNotice, 'units' | 'phase'> {
  heardAtMs: number;
}

/** Hears of what happens among the edges. */
export interface PeersListener {
  /** Another edge took units (gave back, where negative). `shared`: as it stood then. */
  tookUnits(edgeId: string, shared: boolean, units: EdgeLimitsNotice['units']): void;
  /** What another edge took within its share is in the common log, or the edge is gone. */
  settled(edgeId: string): void;
  /** Notices were missed: what others took is not known for certain. */
  missed(): void;
  /** An edge came, went, or stands differently. */
  changed(): void;
}

/** The edges that share limits, this one included: who lives, how each stands to Valkey, and what it tells the others. */
export class EdgePeers {
  private readonly peers = new Map<string, Peer>();
  private readonly startedAt: number;
  private readonly taken = new Map<string, number>();
  private own: Standing = { run: null, complete: false, shared: false };
  private sequence = 0;
  private ownTerm = 0;
  private phase: EdgeLimitsNotice['phase'] = 'starting';
  private gathering: NodeJS.Timeout | null = null;
  private heartbeat: NodeJS.Timeout | null = null;

  constructor(
    readonly edgeId: string,
    private readonly publish: (notice: EdgeLimitsNotice) => void,
    private readonly clock: Clock,
    private readonly listener: PeersListener,
  ) {
    this.startedAt = clock.nowMs();
  }

  /** Asks who lives: they answer, and do not count this edge yet. */
  ask(): void {
    this.tell();
  }

  /** From now on this edge counts. */
  begin(): void {
    this.phase = 'running';
    this.heartbeat = setInterval(() => this.tell(), heartbeatMs).unref();
    this.tell();
  }

  leave(): void {
    if (this.heartbeat) clearInterval(this.heartbeat);
    this.phase = 'leaving';
    this.tell();
  }

  get standing(): Standing {
    return this.own;
  }

  get term(): number {
    return this.ownTerm;
  }

  /** The ids of all edges that live, the oldest first. */
  live(): string[] {
    const edges = [...this.peers.values(), { edgeId: this.edgeId, startedAt: this.startedAt }];
    return edges
      .sort((a, b) => a.startedAt - b.startedAt || (a.edgeId < b.edgeId ? -1 : 1))
      .map(({ edgeId }) => edgeId);
  }

  /** True when every other edge put its units into the Valkey of this run, and one of all put in what was known before. */
  allJoined(run: string): boolean {
    return this.hasComplete(run) && [...this.peers.values()].every((peer) => peer.run === run);
  }

  hasComplete(run: string): boolean {
    return [this.own, ...this.peers.values()].some((one) => one.run === run && one.complete);
  }

  /** True when every other edge has acted on this term of ours. */
  haveAllSeen(term: number): boolean {
    return [...this.peers.values()].every(({ seen }) => (seen[this.edgeId] ?? 0) >= term);
  }

  /** True when every other edge has acted on this term of ours, and none decides by Valkey alone: all that they took so has been heard. */
  haveAllLeft(term: number): boolean {
    return this.haveAllSeen(term) && [...this.peers.values()].every(({ shared }) => !shared);
  }

  /** Tells of units that this edge took (gave back, where negative), soon. */
  took(keyId: string, units: number): void {
    this.taken.set(keyId, (this.taken.get(keyId) ?? 0) + units);
    this.gathering ??= setTimeout(() => this.tell(), gatherMs);
  }

  /** Changes the standing of this edge. What it took before is told first, as taken under the old one. */
  stand(change: Partial<Standing>): void {
    if (this.taken.size > 0) this.tell();
    this.own = { ...this.own, ...change };
    this.ownTerm += 1;
    this.tell();
  }

  /** Takes a notice of any edge, this one included: hearing itself proves that others would be heard. */
  hear({ units, phase, ...notice }: EdgeLimitsNotice): void {
    if (notice.edgeId === this.edgeId) return this.forgetGone();
    if (phase === 'starting') return this.tell();
    const before = this.peers.get(notice.edgeId);
    if (before && notice.sequence !== before.sequence + 1) this.listener.missed();
    if (phase === 'leaving') return this.gone(notice.edgeId);
    this.peers.set(notice.edgeId, { ...notice, heardAtMs: this.clock.monotonicMs() });
    if (notice.shared && !before?.shared) this.listener.settled(notice.edgeId);
    if (units.length > 0) this.listener.tookUnits(notice.edgeId, notice.shared, units);
    if (notice.term === before?.term) {
      if (Object.values(notice.seen).join() !== Object.values(before.seen).join()) this.listener.changed();
      return;
    }
    const termBefore = this.ownTerm;
    this.listener.changed();
    // A change of ours told them already that we have acted on theirs.
    if (this.ownTerm === termBefore) this.tell();
  }

  private tell(): void {
    if (this.gathering) clearTimeout(this.gathering);
    this.gathering = null;
    const units = [...this.taken];
    this.taken.clear();
    this.sequence += 1;
    const { edgeId, startedAt, sequence, phase, ownTerm: term } = this;
    const seen = Object.fromEntries([...this.peers.values()].map((peer) => [peer.edgeId, peer.term]));
    this.publish({ edgeId, startedAt, sequence, term, seen, phase, units, ...this.own });
  }

  private forgetGone(): void {
    const nowMs = this.clock.monotonicMs();
    for (const { edgeId, heardAtMs } of this.peers.values()) if (nowMs - heardAtMs > goneMs) this.gone(edgeId);
  }

  private gone(edgeId: string): void {
    if (!this.peers.delete(edgeId)) return;
    this.listener.settled(edgeId);
    this.listener.changed();
  }
}
