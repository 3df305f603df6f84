import { setTimeout as sleep } from 'node:timers/promises';
import type { AttemptFailure, AttemptPlan } from '../routing/attempt-plan';
import type { AttemptRunner, RunningAttempt } from './attempt-runner';
import type { CallerAnswer } from './caller-answer';
import type { AttemptEnd } from './upstream-attempt';

/** How attempts that ran together ended. `last` speaks for them; `failed` are those before it. */
export interface FollowedAttempts {
  failed: AttemptFailure[];
  last: { attempt: RunningAttempt; end: AttemptEnd };
}

/**
 * The second request of a model that asks for one (`hedgeAfterMs`): when an attempt has no content by then,
 * the next route is begun beside it. The first to have content answers, and the other is ended. At most once
 * in a call, and only while nothing went to the caller.
 */
export class Hedge {
  private spent = false;

  constructor(
    private readonly plan: AttemptPlan,
    private readonly runner: AttemptRunner,
    private readonly answer: CallerAnswer,
  ) {}

  /**
   * `afterMs`: so long it is waited for first content. Resolves when the attempt has ended, and the one that
   * was begun beside it, if there was one. Never rejects.
   */
  async follow(lead: RunningAttempt, afterMs: number): Promise<FollowedAttempts> {
    if (!this.spent) {
      const patience = new AbortController();
      const waited = sleep(afterMs, 'late', { signal: patience.signal }).catch(() => 'ended');
      const first = await Promise.race([lead.ended, waited]);
      patience.abort();
      const second = first === 'late' && !this.answer.begun ? await this.beginSecond() : null;
      if (second) return this.race(lead, second);
    }
    return { failed: [], last: { attempt: lead, end: await lead.ended } };
  }

  /** Null: no other route can take the request now. */
  private async beginSecond(): Promise<RunningAttempt | null> {
    const { rest } = this.plan;
    for (const route of rest) {
      const ready = this.runner.ready(route);
      if (ready) await ready;
      if (this.answer.begun || this.runner.isStopped) return null;
      const second = this.runner.begin(route, route === rest.at(-1));
      if (!second) continue;
      this.spent = true;
      this.plan.moveTo(route);
      return second;
    }
    return null;
  }

  /**
   * A failure before any content, or an answer that found no memory, leaves the other one its chance; every
   * other end is the end of both.
   */
  private async race(lead: RunningAttempt, second: RunningAttempt): Promise<FollowedAttempts> {
    const first = await Promise.race([lead, second].map(async (attempt) => ({ attempt, end: await attempt.ended })));
    const other = first.attempt === lead ? second : lead;
    const { end } = first;
    const isLeft = end.kind === 'crowded-out' || (end.kind === 'failed' && end.error.fault !== 'caller');
    const goesOn = end.kind === 'outrun' || (isLeft && !this.answer.begun);
    if (!goesOn) this.runner.stopAll(first.attempt.attempt);
    const otherEnd = await other.ended;
    if (end.kind === 'stopped') return { failed: [], last: { attempt: other, end: otherEnd } };
    if (!goesOn) return { failed: [], last: first };
    return { failed: end.kind === 'failed' ? [end] : [], last: { attempt: other, end: otherEnd } };
  }
}
