import type { EdgeLimitsNotice } from '@tollgate/contracts/edge';
import type { Clock } from '../../clock';
import { windowMs } from '../rolling-log';
import { Unheard } from './unheard';

const heartbeatMs = 1_000;
/** An edge that was not heard for this long is gone. */
export const goneMs = 3_500;
/**
 * An edge that has not heard itself for so long decides nothing: the others may be about to take it for gone.
 */
const deafMs = 2_500;
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
  /** What another edge took within its share is in the common log. */
  settled(edgeId: string): void;
  /** Another edge is gone. What it took within its share is in the log of the Valkey of this run, if any. */
  gone(edgeId: string, run: string | null): void;
  /**
   * Notices were missed: what others took is not known for certain; with `edges` neither which edges there
   * were in the last minute, or they may not have known of this one.
   */
  missed(what: 'units' | 'edges'): void;
  /** An edge came, went, or stands differently. */
  changed(): void;
  /** This edge heard itself. */
  reached(): void;
}

/**
 * The edges that share limits, this one included: who lives, how each stands to Valkey, and what it tells the
 * others.
 */
export class EdgePeers {
  private readonly peers = new Map<string, Peer>();
  /**
   * Edges that fell silent without a word while they worked within their shares, in the last 60 seconds: what
   * they took of these before is not known for certain, so they stay theirs.
   */
  private readonly silent = new Map<string, { startedAt: number; untilMs: number }>();
  /** Edges that are gone in the last 60 seconds, by a word or without, until when they are remembered. */
  private readonly departed = new Map<string, number>();
  /**
   * Edges that fell silent while they asked Valkey: how many they knew of, and until when what they took of
   * it and could tell nobody may count.
   */
  private unknown: { edges: number; untilMs: number }[] = [];
  private readonly unheard = new Unheard();
  /** When the newest notice was told that this edge has heard. */
  private reachedAtMs = -Infinity;
  /** When this edge last heard itself again after it had been deaf. */
  private wasDeafAtMs = -Infinity;
  readonly startedAt: number;
  private readonly taken = new Map<string, number>();
  private own: Standing = { run: null, complete: false, shared: false };
  private sequence = 0;
  private ownTerm = 0;
  private phase: EdgeLimitsNotice['phase'] = 'starting';
  private gathering: (() => void) | null = null;

  constructor(
    readonly edgeId: string,
    private readonly publish: (notice: EdgeLimitsNotice) => void,
    private readonly clock: Clock,
    private readonly listener: PeersListener,
  ) {
    this.startedAt = clock.nowMs();
  }

  /** From now on this edge counts. */
  begin(): void {
    this.phase = 'running';
    // Whoever hears of this edge for the first time knows by this number that nothing was missed.
    this.sequence = 0;
    this.unheard.clear();
    this.reachedAtMs = this.clock.monotonicMs();
    this.beat();
  }

  /** True when the others count this edge. */
  get hasBegun(): boolean {
    return this.phase !== 'starting';
  }

  /** Tells all edges how this one stands, and what it took since it last did. */
  tell(): void {
    this.gathering?.();
    this.gathering = null;
    const units = [...this.taken];
    this.taken.clear();
    this.sequence += 1;
    const { edgeId, startedAt, sequence, phase, ownTerm: term } = this;
    this.unheard.told({ sequence, toldAtMs: this.clock.monotonicMs(), edges: 1 + this.peers.size });
    const seen = Object.fromEntries([...this.peers.values()].map((peer) => [peer.edgeId, peer.term]));
    this.publish({ edgeId, startedAt, sequence, term, seen, phase, units, ...this.own });
  }

  leave(): void {
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
    return idsByAge([...this.peers.values(), this]);
  }

  /**
   * The ids of all that have a share of the limits: those that live, and those that fell silent a moment ago.
   */
  sharers(): string[] {
    const nowMs = this.clock.monotonicMs();
    for (const [edgeId, { untilMs }] of this.silent) if (untilMs <= nowMs) this.silent.delete(edgeId);
    const silent = [...this.silent].map(([edgeId, { startedAt }]) => ({ edgeId, startedAt }));
    return idsByAge([...this.peers.values(), ...silent, this]);
  }

  /** How many edges lived at any time in the last 60 seconds, this one included. */
  get ofLastMinute(): number {
    this.forgetDeparted();
    return 1 + this.peers.size + this.departed.size;
  }

  /** True when this edge cannot know whether the others hear it: they may be about to take it for gone. */
  get isDeaf(): boolean {
    return this.clock.monotonicMs() - this.reachedAtMs > deafMs;
  }

  /**
   * True when every other edge put its units into the Valkey of this run, and one of all put in what was
   * known before.
   */
  allJoined(run: string): boolean {
    return this.hasComplete(run) && [...this.peers.values()].every((peer) => peer.run === run);
  }

  hasComplete(run: string): boolean {
    return [this.own, ...this.tellingOfLogs()].some((one) => one.run === run && one.complete);
  }

  /** The run of which another edge says that its log is whole; null: none does. */
  get wholeRun(): string | null {
    return this.tellingOfLogs().find(({ complete }) => complete)?.run ?? null;
  }

  /** True when every other edge has acted on this term of ours. */
  haveAllSeen(term: number): boolean {
    return [...this.peers.values()].every(({ seen }) => (seen[this.edgeId] ?? 0) >= term);
  }

  /**
   * True when every other edge has acted on this term of ours, and none decides by Valkey alone: all that
   * they took so has been heard.
   */
  haveAllLeft(term: number): boolean {
    return this.haveAllSeen(term) && [...this.peers.values()].every(({ shared }) => !shared);
  }

  /** Tells of units that this edge took (gave back, where negative), soon. */
  took(keyId: string, units: number): void {
    this.unheard.took(keyId, units);
    this.taken.set(keyId, (this.taken.get(keyId) ?? 0) + units);
    this.gathering ??= this.clock.after(gatherMs, () => this.tell());
  }

  /**
   * True when the others leave so much out of what they share, should this edge fall silent now: it took no
   * more of the key than an even part of the limit that it has not heard itself say.
   */
  isCovered(keyId: string, limit: number): boolean {
    return this.unheard.unitsOf(keyId) <= partOf(limit, Math.max(this.unheard.edges, 1 + this.peers.size));
  }

  /**
   * Tells all at once. Resolves to true when this edge has heard it, to false when it was deaf meanwhile:
   * then the others may have taken it for gone.
   */
  async tellAndHear(): Promise<boolean> {
    const sinceMs = this.clock.monotonicMs();
    this.tell();
    const { sequence } = this;
    const heard = this.unheard.whenHeard(sequence);
    while (!this.isDeaf && !this.unheard.hasHeard(sequence))
      await this.orAfter(heard, this.reachedAtMs + deafMs - this.clock.monotonicMs());
    return this.unheard.hasHeard(sequence) && this.wasDeafAtMs < sinceMs;
  }

  /** Resolves with `event`, or when it is a moment more than `ms` from now. */
  private orAfter(event: Promise<void>, ms: number): Promise<void> {
    return new Promise((resolve) => {
      const callOff = this.clock.after(ms + 1, resolve);
      void event.then(callOff).then(resolve);
    });
  }

  /** How many units of such a limit edges may have taken of Valkey that fell silent. */
  unknownOf(limit: number): number {
    const nowMs = this.clock.monotonicMs();
    this.unknown = this.unknown.filter(({ untilMs }) => untilMs > nowMs);
    return this.unknown.reduce((sum, { edges }) => sum + partOf(limit, edges), 0);
  }

  /** True when an edge fell silent in the last minute: nobody may know all that it took. */
  get hasSilent(): boolean {
    const nowMs = this.clock.monotonicMs();
    return [...this.unknown, ...this.silent.values()].some(({ untilMs }) => untilMs > nowMs);
  }

  /** Valkey's log was read, in which all stands that silent edges took of it. */
  knowsSilent(): void {
    this.unknown = [];
  }

  /** Changes the standing of this edge. What it took before is told first, as taken under the old one. */
  stand(change: Partial<Standing>): void {
    this.tellTaken();
    this.own = { ...this.own, ...change };
    this.ownTerm += 1;
    this.tell();
  }

  /** Takes a notice of any edge, this one included: hearing itself proves that others would be heard. */
  hear({ units, phase, ...notice }: EdgeLimitsNotice): void {
    if (notice.edgeId === this.edgeId) return this.heardItself(notice.sequence);
    // Only who counts answers: two that start would answer one another for ever.
    if (phase === 'starting') return this.phase === 'running' ? this.tell() : undefined;
    const before = this.peers.get(notice.edgeId);
    // It came twice, or too late.
    if (before && notice.sequence <= before.sequence) return;
    const isNext = notice.sequence === (before?.sequence ?? 0) + 1;
    // Who was cut off may hear the others before itself, and is known to nobody then.
    if (!isNext && this.phase === 'running') this.listener.missed(before && !this.isDeaf ? 'units' : 'edges');
    this.silent.delete(notice.edgeId);
    this.departed.delete(notice.edgeId);
    this.peers.set(notice.edgeId, { ...notice, heardAtMs: this.clock.monotonicMs() });
    if (notice.shared && !before?.shared) this.listener.settled(notice.edgeId);
    if (units.length > 0) this.listener.tookUnits(notice.edgeId, notice.shared, units);
    if (phase === 'leaving') return this.gone(notice.edgeId);
    if (notice.term === before?.term) {
      if (Object.values(notice.seen).join() !== Object.values(before.seen).join()) this.listener.changed();
      return;
    }
    const termBefore = this.ownTerm;
    this.listener.changed();
    // A change of ours told them already that we have acted on theirs.
    if (this.ownTerm === termBefore) this.tell();
  }

  private beat(): void {
    if (this.phase === 'leaving') return;
    this.tell();
    this.clock.after(heartbeatMs, () => this.beat());
  }

  /** Counted from when it was told: a process that stood still hears old notices first. */
  private heardItself(sequence: number): void {
    const nowMs = this.clock.monotonicMs();
    const toldAtMs = this.unheard.heard(sequence);
    if (toldAtMs === null) return;
    if (this.phase === 'running' && toldAtMs - this.reachedAtMs > deafMs) this.listener.missed('edges');
    if (this.isDeaf) this.wasDeafAtMs = nowMs;
    this.reachedAtMs = Math.max(this.reachedAtMs, toldAtMs);
    for (const { edgeId, startedAt, heardAtMs, shared, run, seen } of [...this.peers.values()]) {
      if (nowMs - heardAtMs <= goneMs) continue;
      const untilMs = nowMs + windowMs;
      if (!shared) this.silent.set(edgeId, { startedAt, untilMs });
      if (run !== null) this.unknown.push({ edges: 1 + Object.keys(seen).length, untilMs });
      // What it took of Valkey and could tell nobody stands in the log, if there still is one.
      if (this.own.shared) this.listener.missed('units');
      this.gone(edgeId);
    }
    this.listener.reached();
  }

  /**
   * The others whose word about a log counts: one that does not know yet of an edge that is gone told of the
   * log before it saw whether that has all which the other took.
   */
  private tellingOfLogs(): Peer[] {
    this.forgetDeparted();
    return [...this.peers.values()].filter(({ seen }) => !Object.keys(seen).some((id) => this.departed.has(id)));
  }

  private forgetDeparted(): void {
    const nowMs = this.clock.monotonicMs();
    for (const [edgeId, untilMs] of this.departed) if (untilMs <= nowMs) this.departed.delete(edgeId);
  }

  private tellTaken(): void {
    if (this.taken.size > 0) this.tell();
  }

  private gone(edgeId: string): void {
    const peer = this.peers.get(edgeId);
    if (!peer) return;
    // The first notice that does not name it any more tells how this edge stands without it.
    this.tellTaken();
    this.peers.delete(edgeId);
    this.departed.set(edgeId, this.clock.monotonicMs() + windowMs);
    this.listener.gone(edgeId, peer.run);
    this.listener.changed();
  }
}

/** What one of so many edges may have taken of a limit before the others know. */
function partOf(limit: number, edges: number): number {
  return Math.floor(limit / edges);
}

function idsByAge(edges: readonly { edgeId: string; startedAt: number }[]): string[] {
  return [...edges]
    .sort((a, b) => a.startedAt - b.startedAt || (a.edgeId < b.edgeId ? -1 : 1))
    .map(({ edgeId }) => edgeId);
}
