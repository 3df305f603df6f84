import { LruMap } from '@tollgate/messaging';
import { GatewayError } from '@tollgate/contracts';
import type { CallerKey, KeyChanged } from '@tollgate/contracts/accounts';
import type { CallPatience } from '@tollgate/messaging';
import { Clock } from '../clock';

/** How long a known key goes on while accounts cannot be asked, since it was last certain. */
const graceMs = 15 * 60_000;
/** While accounts cannot be heard, an answer of it counts for this long. */
const certaintyMs = 1_000;
/** Lookups in flight at most; more are refused, so that guessed keys cannot flood accounts. */
const lookupsInFlight = 512;
const knownKeys = 100_000;
const unknownKeys = 50_000;

/**
 * How long accounts is asked for a key that may go on meanwhile, and for one that cannot: a busy machine
 * answers late, and NATS being away ends both.
 */
const knownPatience: CallPatience = { timeoutMs: 900, absentMs: 0 };
const unknownPatience: CallPatience = { timeoutMs: 5_000 };

/**
 * Asks accounts for a key by its digest, or by those it had under former peppers. Rejects when accounts does
 * not answer in time.
 */
export type KeyResolver = (
  digest: string,
  formerDigests: readonly string[],
  patience: CallPatience,
) => Promise<{ key: CallerKey | null; revision: number }>;

type KeyListener = (digest: string, key: CallerKey | null) => void;

/** When and in which epoch of accounts' changes something was learnt, monotonic milliseconds. */
interface Learnt {
  epoch: number;
  atMs: number;
}

interface KnownKey extends Learnt {
  key: CallerKey;
  formerDigests: readonly string[];
}

const none: () => readonly string[] = () => [];

interface Lookup {
  answer: Promise<CallerKey | null>;
  /** A change that was told while accounts was being asked, and may be newer than its answer. */
  change: KeyChanged | null;
}

/**
 * All keys that this edge has met, kept current by accounts' notices. Bounded in size. A key that may have
 * changed unheard is asked for again at its next use; while accounts is away, known keys go on for 15
 * minutes.
 */
export class KeyDirectory {
  private readonly changeListeners: KeyListener[] = [];
  private readonly missListeners: (() => void)[] = [];
  private readonly known = new LruMap<KnownKey>(knownKeys);
  private readonly unknown = new LruMap<Learnt>(unknownKeys);
  private readonly lookups = new Map<string, Lookup>();
  /**
   * The digests that keys are known by here, by the key's id, where peppers changed: accounts may keep a key
   * under the digest of another pepper.
   */
  private readonly digestsById = new LruMap<readonly string[]>(knownKeys);
  private readonly revisions = new RevisionTracker();
  private accountsAwayUntilMs = -Infinity;
  private importedKeys: boolean | null = null;

  constructor(
    private readonly resolver: KeyResolver,
    private readonly clock: Clock,
  ) {}

  /** Calls this with what is newly known of a digest's key; null: it no longer exists. */
  onChange(listener: KeyListener): void {
    this.changeListeners.push(listener);
  }

  /** Calls this when changes were missed, so that keys with running generations are asked for again. */
  onMissed(listener: () => void): void {
    this.missListeners.push(listener);
  }

  /**
   * The key with this digest, null when there is none. Immediate while what is known is certain.
   * `formerDigests` are the key's under former peppers.
   * @throws GatewayError 503 when accounts is away and the key is not known, or for too long.
   */
  find(digest: string, formerDigests = none): CallerKey | null | Promise<CallerKey | null> {
    const nowMs = this.clock.monotonicMs();
    const known = this.known.get(digest);
    if (known) {
      if (this.isCertain(known, nowMs)) return known.key;
      const inGrace = this.isInGrace(known, nowMs);
      if (inGrace && nowMs < this.accountsAwayUntilMs) return known.key;
      const asked = this.lookUp(digest, known.formerDigests, inGrace ? knownPatience : unknownPatience);
      return inGrace ? asked.catch(() => known.key) : asked;
    }
    const unknown = this.unknown.get(digest);
    if (unknown && this.isCertain(unknown, nowMs)) return null;
    return this.lookUp(digest, formerDigests(), unknownPatience);
  }

  /** Takes a change that accounts told. */
  change(notice: KeyChanged): void {
    const missed = this.revisions.change(notice.revision, this.clock.monotonicMs());
    const elsewhere = (notice.key && this.digestsById.peek(notice.key.id)) ?? [];
    for (const digest of new Set([notice.digest, ...elsewhere])) this.changeOne(digest, notice);
    if (missed) this.tellMissed();
  }

  /**
   * Whether keys of another gateway's form came over, as far as is known: while accounts was never heard,
   * they may have.
   */
  get hasImportedKeys(): boolean {
    return this.importedKeys ?? true;
  }

  heartbeat(revision: number, importedKeys = false): void {
    this.importedKeys = importedKeys;
    const nowMs = this.clock.monotonicMs();
    if (this.revisions.heartbeat(revision, nowMs)) this.tellMissed();
  }

  disconnected(): void {
    this.revisions.disconnected();
  }

  private changeOne(digest: string, notice: KeyChanged): void {
    const lookup = this.lookups.get(digest);
    if (lookup && notice.revision >= (lookup.change?.revision ?? 0)) lookup.change = notice;
    this.unknown.delete(digest);
    const known = this.known.peek(digest);
    // A key that nobody uses here is not worth remembering: its first use asks. It may still have generations
    // running.
    if (known) this.learn(digest, notice.key, this.revisions.epoch, known.formerDigests);
    else this.tellChange(digest, notice.key);
  }

  private isCertain(learnt: Learnt, nowMs: number): boolean {
    if (learnt.epoch !== this.revisions.epoch) return false;
    return this.revisions.isListening(nowMs) || nowMs - learnt.atMs < certaintyMs;
  }

  private isInGrace(known: KnownKey, nowMs: number): boolean {
    const certainAtMs = Math.max(known.atMs, this.revisions.lastHeardAtMs(known.epoch));
    return nowMs - certainAtMs < graceMs;
  }

  private lookUp(digest: string, formerDigests: readonly string[], patience: CallPatience): Promise<CallerKey | null> {
    const running = this.lookups.get(digest);
    if (running) return running.answer;
    if (this.lookups.size >= lookupsInFlight) return Promise.reject(accountsAway());
    const lookup: Lookup = { answer: this.ask(digest, formerDigests, patience), change: null };
    this.lookups.set(digest, lookup);
    return lookup.answer;
  }

  private async ask(
    digest: string,
    formerDigests: readonly string[],
    patience: CallPatience,
  ): Promise<CallerKey | null> {
    const { epoch } = this.revisions;
    try {
      const answer = await this.resolver(digest, formerDigests, patience);
      this.accountsAwayUntilMs = -Infinity;
      const change = this.lookups.get(digest)?.change;
      const key = change && change.revision > answer.revision ? change.key : answer.key;
      this.learn(digest, key, epoch, formerDigests);
      return key;
    } catch {
      this.accountsAwayUntilMs = this.clock.monotonicMs() + certaintyMs;
      throw accountsAway();
    } finally {
      this.lookups.delete(digest);
    }
  }

  /**
   * `epoch` is the one in which the question was asked: an answer that crossed with a missed change is not
   * certain.
   */
  private learn(digest: string, key: CallerKey | null, epoch: number, formerDigests: readonly string[]): void {
    const atMs = this.clock.monotonicMs();
    const previous = this.known.peek(digest)?.key;
    if (key && previous && previous.version > key.version) return;
    if (key) {
      this.known.set(digest, { key, epoch, atMs, formerDigests });
      if (formerDigests.length > 0) this.rememberDigest(key.id, digest);
    } else {
      this.known.delete(digest);
      this.unknown.set(digest, { epoch, atMs });
    }
    if (previous?.version !== key?.version) this.tellChange(digest, key);
  }

  private tellChange(digest: string, key: CallerKey | null): void {
    for (const listener of this.changeListeners) listener(digest, key);
  }

  private tellMissed(): void {
    for (const listener of this.missListeners) listener();
  }

  private rememberDigest(keyId: string, digest: string): void {
    const digests = this.digestsById.get(keyId) ?? [];
    if (!digests.includes(digest)) this.digestsById.set(keyId, [...digests, digest].slice(-4));
  }
}

function accountsAway(): GatewayError {
  return new GatewayError(503, 'The key cannot be checked at the moment, try again shortly.', 2);
}

/** Silence of accounts after which changes may have been missed. Accounts sends a heartbeat every second. */
const silenceMs = 5_000;
/**
 * Older epochs than this many are forgotten: keys learnt in them count as certain only since they were
 * learnt.
 */
const rememberedEpochs = 64;

/**
 * Follows the numbered changes that accounts tells, and knows whether one may have been missed.
 * `epoch` grows when something was missed for certain: what was learnt in an older epoch may be out of date.
 */
class RevisionTracker {
  epoch = 0;
  private readonly heardAtMs = new Map<number, number>();
  private connected = false;
  private revision: number | null = null;

  /** True while accounts can be heard, so that a change would have been told. */
  isListening(nowMs: number): boolean {
    return this.connected && nowMs - this.lastHeardAtMs(this.epoch) <= silenceMs;
  }

  /**
   * Until when everything that was known in this epoch was certain, monotonic milliseconds; -Infinity when
   * that is not known.
   */
  lastHeardAtMs(epoch: number): number {
    return this.heardAtMs.get(epoch) ?? -Infinity;
  }

  /** A change with this number arrived. True when an earlier one is missing. */
  change(revision: number, nowMs: number): boolean {
    const missed = this.revision !== null && revision > this.revision + 1;
    this.hear(Math.max(this.revision ?? revision, revision), missed, nowMs);
    return missed;
  }

  /**
   * A heartbeat says how many changes there were. True when one of them never arrived, and also when there
   * are fewer than before: accounts' own count began anew (a restored database), so everything is in doubt.
   */
  heartbeat(revision: number, nowMs: number): boolean {
    const missed = this.revision !== null && revision !== this.revision;
    this.hear(revision, missed, nowMs);
    return missed;
  }

  /** The connection was lost: nothing is certain until the next notice says whether a change was missed. */
  disconnected(): void {
    this.connected = false;
  }

  private hear(revision: number, missed: boolean, nowMs: number): void {
    if (missed) this.epoch += 1;
    this.revision = revision;
    this.connected = true;
    this.heardAtMs.set(this.epoch, nowMs);
    this.heardAtMs.delete(this.epoch - rememberedEpochs);
  }
}
