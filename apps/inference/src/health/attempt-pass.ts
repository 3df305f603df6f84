import type { TransientSet } from '@tollgate/messaging';
import type { ConcurrencyLimit } from './concurrency-limit';
import { busySpanMs, type DeploymentWatch, type WatchPermit } from './deployment-watch';
import type { Places } from './places';

/**
 * What an attempt tells of its provider. answered: it works, even if it refused what the caller wants;
 * failed: `status` is the HTTP status, null when none came, `timedOut` is true where a time limit of ours
 * ended it, and `again` where the same request failed in the same words before; unknown: the caller left,
 * another attempt was faster, or the fault was ours.
 */
export type AttemptResult =
  | { kind: 'answered' }
  | { kind: 'failed'; status: number | null; retryAfterS: number | null; timedOut?: boolean; again?: boolean }
  | { kind: 'unknown' };

/** What is known of one deployment and of the endpoint behind it. */
export interface KnownHealth {
  readonly watch: DeploymentWatch;
  readonly limit: ConcurrencyLimit;
  readonly places: Places;
  /** The provider lets requests wait in a queue of its own, and says busy when that is full: no failure. */
  readonly queues: boolean;
  /** The attempts that run there. */
  readonly running: TransientSet<AttemptPass>;
}

/**
 * Statuses by which providers refuse for load. 529 is Anthropic's:
 * https://platform.claude.com/docs/en/api/errors
 */
const refusesForLoad = new Set([429, 529]);
/** Statuses that mean "not now"; their Retry-After says how long the provider wants to be left alone. */
const busyStatuses: ReadonlySet<number | null> = new Set([429, 503, 529]);

/** Statuses of a hop behind the provider that waited in vain. */
const gaveUpWaiting: ReadonlySet<number | null> = new Set([408, 504]);

/** A server that has no room says so sooner: what it did not refuse by then it took in. */
const takenInMs = 5_000;

/** Whether a provider's status says that it has too much to do, or is not ready yet. */
export function saysBusy(status: number | null): boolean {
  return busyStatuses.has(status);
}

/** One attempt that was let through, and has a place. To be ended exactly once; later calls do nothing. */
export class AttemptPass {
  /** An operator closed the deployment: to be ended now. */
  onClosed: () => void = () => undefined;
  private readonly beganAt: number;
  private begun = false;
  private over = false;

  /** `bytes`: the size of the request. */
  constructor(
    private readonly health: KnownHealth,
    private readonly permit: WatchPermit,
    private readonly clock: () => number,
    stream: boolean,
    private readonly bytes: number,
  ) {
    this.beganAt = clock();
    health.running.add(this);
    if (stream) health.watch.silence.began(this, permit.caller, bytes, this.beganAt);
  }

  /** A head or a byte came: a sign of life. */
  heard(): void {
    this.health.watch.silence.heard(this.clock());
  }

  /**
   * Whether its answer has begun and is not over, or it seems to be made: an answer that is not streamed
   * comes as a whole, after minutes. What takes longer than ten may hang.
   */
  get isAtWork(): boolean {
    return !this.over && (this.begun || this.wasTakenIn(this.clock()));
  }

  /** Its answer has begun. */
  answering(): void {
    if (this.begun) return;
    this.begun = true;
    const { watch, limit } = this.health;
    const now = this.clock();
    limit.answering();
    watch.silence.answered(this, now);
    watch.firstAnswers.record(now - this.beganAt, now);
    watch.answering(this.permit);
  }

  end(result: AttemptResult): void {
    if (this.over) return;
    this.over = true;
    const { watch, limit, places, running } = this.health;
    running.delete(this);
    const { caller } = this.permit;
    const now = this.clock();
    watch.silence.ended(this);
    if (result.kind === 'answered') {
      // Of an answer that began long ago it is no news that it ends.
      if (!this.begun) watch.answering(this.permit);
      watch.answered(this.permit, now);
      limit.answered(caller, now - this.beganAt, now);
    } else if (result.kind === 'failed') this.failed(result, now);
    else if (this.wasTakenIn(now)) watch.tookIn(this.permit);
    else watch.released(this.permit);
    if (this.begun) limit.ended();
    places.leave(caller);
  }

  private wasTakenIn(now: number): boolean {
    const ageMs = now - this.beganAt;
    return ageMs >= takenInMs && ageMs < busySpanMs;
  }

  private failed(result: AttemptResult & { kind: 'failed' }, now: number): void {
    const { status, retryAfterS, timedOut = false, again = false } = result;
    const { watch, limit, queues } = this.health;
    // A queue that is full says nothing of how many requests run well at once, and a huge request nothing by
    // its slowness.
    const isLate = timedOut || gaveUpWaiting.has(status);
    const isExplained = isLate && watch.silence.explains(this.bytes, now - this.beganAt);
    if (isExplained) return watch.released(this.permit);
    if (queues && status !== null && saysBusy(status)) return watch.saidBusy(this.permit, status, now);
    if (status !== null && refusesForLoad.has(status)) limit.refused(this.permit.caller, now);
    const retryAfterMs = retryAfterS !== null && saysBusy(status) ? retryAfterS * 1_000 : null;
    watch.failed(this.permit, { status: status ?? 0, retryAfterMs, again }, now);
  }
}
