import { Breaker, type BreakerPermit, type BreakerState } from './breaker';
import { type Caller, CallerWindow, type Scope } from './caller-window';
import { SilenceWatch } from './silence-watch';

/** One attempt that was let through, with its permits from the breakers that knew its caller. */
export interface WatchPermit {
  readonly caller: Caller;
  readonly held: ReadonlyMap<string, BreakerPermit>;
}

/**
 * How a failed attempt counts. `status` 0: there was no HTTP status; `retryAfterMs`: the patience that was
 * asked for, null when none was; `again`: the same request failed in the same words before.
 */
interface WatchedFailure {
  status: number;
  retryAfterMs: number | null;
  again: boolean;
}

/**
 * How a deployment stands. `callers`: how many keys and accounts are kept away; null: all. `since`: for how
 * long that is so, probes that failed meanwhile included; null while nobody is. `answersNobody`: it is kept
 * from several keys at least, or says only that it is busy, and no request of anybody was answered since;
 * `why` is the status of a failure, `no answer` or `silence`; `probes`: how many run. `lastBusyMs`: how long
 * ago one that says only that it is busy said so last; null: it does not.
 */
interface Standing {
  state: BreakerState;
  callers: number | null;
  answersNobody: boolean;
  since: number | null;
  retryInMs: number;
  why: string | null;
  lastBusyMs: number | null;
  probes: number;
}

/**
 * Since when a server that lets requests wait says nothing else than that it is busy, when it said so last,
 * how often, and by which status.
 */
interface BusySpan {
  since: number;
  last: number;
  count: number;
  status: number;
}

const minFailures = 5;
/** What such a server says so long after the time before has another reason; nor is it known how it is then. */
export const busySpanMs = 600_000;
const failureShare = 0.5;
/** A provider that asks for more patience than this is believed at once, and left for the next one. */
export const longestPauseMs = 2_000;
const longestPatienceMs = 60_000;
/** So long a probe may be silent at the least; at a provider that is slow to begin, three times its usual. */
const probePatienceMs = 4_000;
/**
 * A server of one's own that is started again is asked so soon by who can go nowhere else: it has few
 * callers, and its operator waits for it.
 */
const ownServerPauseMs = 1_000;
const everybody = 'all';
const nothing: ReadonlyMap<string, BreakerPermit> = new Map();

/**
 * What an instance saw of one deployment, and whom it keeps away from it. What failed for one key closes the
 * deployment for that key, for several keys of an account for that account, and for several accounts for
 * everybody, if they are more than three for each who is served well just now. That takes at least five
 * failures in ten seconds that are half of the attempts, or a provider that asks for more than two seconds of
 * patience (it gets them, a minute at most), or a probe that fails.
 * Times are milliseconds of a clock that never goes back.
 */
export class DeploymentWatch {
  timesOpened = 0;
  readonly firstAnswers = new FirstAnswerTimes();
  readonly silence = new SilenceWatch();
  private readonly window = new CallerWindow();
  /** By whom they keep away; only those that are open, or were lately. Usually there is none. */
  private readonly breakers = new Map<string, Breaker>();
  /** The probes that are not answered yet. */
  private readonly probing = new Map<BreakerPermit, WatchPermit>();
  private why: string | null = null;
  /** The accounts of which a request failed since anybody's was answered. */
  private readonly failedSince = new Set<string>();
  private answeredAt = Number.NEGATIVE_INFINITY;
  /** Null: it did not say so since it answered somebody. */
  private busy: BusySpan | null = null;

  /**
   * `hearsSilence` false: the provider lets requests wait in a queue of its own, as a server of one's own,
   * and nobody can tell that from silence.
   */
  constructor(
    readonly provider: string,
    private readonly hearsSilence: boolean,
  ) {}

  /**
   * How long until an attempt of this caller may be let through; 0: at once. `alone`: it can go nowhere else.
   */
  waitMs(caller: Caller, alone: boolean, now: number): number {
    this.hear(now);
    let waitMs = 0;
    for (const [, breaker] of this.breakersOf(caller)) waitMs = Math.max(waitMs, breaker.waitMs(now, alone));
    return waitMs;
  }

  /** To be called when `waitMs` is 0. */
  begin(caller: Caller, now: number): WatchPermit {
    if (this.breakers.size === 0) return { caller, held: nothing };
    const patience = Math.max(probePatienceMs, 3 * this.firstAnswers.shortestMs(now));
    const held = new Map(this.breakersOf(caller).map(([name, breaker]) => [name, breaker.begin(now, patience)]));
    const permit = { caller, held };
    for (const one of held.values()) if (one.probe) this.probing.set(one, permit);
    return permit;
  }

  /** Its answer has begun: enough to see that the deployment works again. */
  answering(permit: WatchPermit): void {
    this.busy = null;
    for (const [name, breaker] of this.breakersOf(permit.caller)) {
      if (!breaker.answered(permit.held.get(name) ?? null)) continue;
      if (name === everybody) {
        this.breakers.clear();
        this.window.clear();
      } else {
        this.breakers.delete(name);
        this.window.forget(permit.caller);
      }
    }
    this.forget(permit);
  }

  /** The attempt was answered to its end. */
  answered(permit: WatchPermit, now: number): void {
    this.released(permit);
    this.busy = null;
    this.failedSince.clear();
    this.answeredAt = now;
    this.window.record(permit.caller, false, now);
  }

  /**
   * A request that fails again in the same words, while others are answered, is at fault itself: that counts
   * for nothing. Where several accounts fail and nobody was answered in between, it is the provider.
   */
  failed(permit: WatchPermit, { status, retryAfterMs, again }: WatchedFailure, now: number): void {
    const isNews = this.isNews(permit);
    this.released(permit);
    this.failedSince.add(permit.caller.account);
    const isAlone = this.failedSince.size === 1;
    if (again && isAlone && this.window.anyAnswered(now)) return this.window.forgive(permit.caller);
    if (!isNews) return;
    const asked =
      retryAfterMs !== null && retryAfterMs > longestPauseMs ? Math.min(retryAfterMs, longestPatienceMs) : null;
    this.count(permit, asked, status === 0 ? 'no answer' : String(status), now);
  }

  /** A server that lets requests wait has no room in its queue. Nobody is kept away for that. */
  saidBusy(permit: WatchPermit, status: number, now: number): void {
    this.released(permit);
    const before = this.busy && now - this.busy.last < busySpanMs ? this.busy : null;
    this.busy = { since: before?.since ?? now, last: now, count: (before?.count ?? 0) + 1, status };
  }

  /** Its caller left a request that the server did not refuse: the next one may have its place. */
  tookIn(permit: WatchPermit): void {
    this.released(permit);
    this.busy = null;
  }

  /** The attempt is over and says nothing of the deployment: its caller left, or it was our own fault. */
  released(permit: WatchPermit): void {
    for (const [name, one] of permit.held) this.breakers.get(name)?.released(one);
    this.forget(permit);
  }

  /** `isAtWork`: an answer of it is under way. */
  standing(now: number, isAtWork = false): Standing {
    this.hear(now);
    for (const [name, breaker] of this.breakers) if (breaker.state(now) === 'closed') this.breakers.delete(name);
    if (this.breakers.size === 0) return this.inUse(now, isAtWork);
    const shared = this.breakers.get(everybody);
    const worst = shared ? [shared] : [...this.breakers.values()];
    const states = worst.map((breaker) => breaker.state(now));
    const ofSeveral = shared
      ? [shared]
      : [...this.breakers].flatMap(([name, breaker]) => (name.startsWith('key ') ? [] : [breaker]));
    const answersNobody =
      ofSeveral.length > 0 && this.answeredAt < Math.min(...ofSeveral.map(({ openedAt }) => openedAt));
    const since = Math.min(...(answersNobody ? ofSeveral : worst).map((breaker) => breaker.since ?? now));
    return {
      state: states.includes('open') ? 'open' : 'half-open',
      callers: shared ? null : worst.length,
      answersNobody,
      since: answersNobody ? Math.max(since, this.answeredAt) : since,
      retryInMs: Math.max(0, ...worst.map((breaker) => breaker.waitMs(now, false))),
      why: this.why,
      lastBusyMs: null,
      probes: worst.reduce((sum, { probing }) => sum + probing, 0),
    };
  }

  /** Nobody is kept away. For how long a server is busy is known only as far as somebody asked it. */
  private inUse(now: number, isAtWork: boolean): Standing {
    const isTold = !isAtWork && this.busy && this.busy.count >= minFailures && now - this.busy.last < busySpanMs;
    const busy = isTold ? this.busy : null;
    const known = { since: busy && now - (busy.last - busy.since), why: busy && String(busy.status) };
    const lastBusyMs = busy && now - busy.last;
    return { state: 'closed', callers: 0, answersNobody: busy !== null, retryInMs: 0, probes: 0, lastBusyMs, ...known };
  }

  private count(permit: WatchPermit, askedMs: number | null, why: string, now: number): void {
    const { caller, held } = permit;
    this.window.record(caller, true, now);
    const probing = [...held.values()].some(({ probe }) => probe);
    const enough = probing || askedMs !== null ? 1 : minFailures;
    const scope =
      this.window.concerns(caller, { minFailures: enough, share: failureShare, heedsWell: true }, now) ??
      (probing ? 'key' : null);
    if (scope === null) return;
    this.why = why;
    this.timesOpened += 1;
    this.breakerFor(caller, scope).open(askedMs, now);
    if (scope === everybody) this.window.clear();
  }

  private hear(now: number): void {
    for (const breaker of this.breakers.values())
      for (const probe of breaker.takeSilentProbes(now)) this.silentProbe(probe, now);
    const silent = this.hearsSilence ? this.silence.silentTo(now) : null;
    if (silent === null) return;
    this.why = 'silence';
    this.breakerFor(silent.caller, silent.scope).suspect(now);
    this.window.clear();
    this.silence.forgetWaiting();
  }

  private silentProbe(probe: BreakerPermit, now: number): void {
    const permit = this.probing.get(probe);
    this.probing.delete(probe);
    if (permit && this.hearsSilence && this.isNews(permit)) this.count(permit, null, 'silence', now);
  }

  /** What began before a breaker of its caller opened or closed is no news. */
  private isNews({ caller, held }: WatchPermit): boolean {
    const known = this.breakersOf(caller);
    return (
      known.length === held.size &&
      known.every(([name, breaker]) => {
        const permit = held.get(name);
        return permit !== undefined && breaker.isCurrent(permit);
      })
    );
  }

  private forget({ held }: WatchPermit): void {
    for (const one of held.values()) this.probing.delete(one);
  }

  private breakerFor(caller: Caller, scope: Scope): Breaker {
    const name = scope === 'all' ? everybody : `${scope} ${caller[scope]}`;
    let breaker = this.breakers.get(name);
    if (!breaker) {
      breaker = this.hearsSilence ? new Breaker() : new Breaker(ownServerPauseMs);
      this.breakers.set(name, breaker);
    }
    return breaker;
  }

  private breakersOf({ key, account }: Caller): (readonly [string, Breaker])[] {
    if (this.breakers.size === 0) return [];
    return [everybody, `account ${account}`, `key ${key}`].flatMap((name) => {
      const breaker = this.breakers.get(name);
      return breaker ? [[name, breaker] as const] : [];
    });
  }
}

const spanMs = 60_000;

/**
 * The shortest time that a deployment lately took until its answer began: of the last one to two minutes.
 * Times are milliseconds of a clock that never goes back.
 */
export class FirstAnswerTimes {
  private span = 0;
  private fastest = Number.POSITIVE_INFINITY;
  private fastestBefore = Number.POSITIVE_INFINITY;

  record(tookMs: number, now: number): void {
    this.turn(now);
    this.fastest = Math.min(this.fastest, tookMs);
  }

  /** 0: nothing is known. */
  shortestMs(now: number): number {
    this.turn(now);
    const shortest = Math.min(this.fastest, this.fastestBefore);
    return shortest === Number.POSITIVE_INFINITY ? 0 : shortest;
  }

  private turn(now: number): void {
    const span = Math.floor(now / spanMs);
    if (span === this.span) return;
    this.fastestBefore = span === this.span + 1 ? this.fastest : Number.POSITIVE_INFINITY;
    this.fastest = Number.POSITIVE_INFINITY;
    this.span = span;
  }
}
