import { setTimeout as sleep } from 'node:timers/promises';
import { noUsage, withoutParts, type TokenUsage, type UsageEvent } from '@tollgate/contracts';
import { foldedText, sampledCharacters, type AnswerReader } from '@tollgate/dialects';
import type { Guard } from '@tollgate/guardrails';
import type { FairMemory, GenerationCall } from '@tollgate/messaging';
import type { Logger, Span, Tracer } from '@tollgate/observability';
import type { AttemptGate } from '../health/attempt-gate';
import { callerOf } from '../health/caller-window';
import type { KeyRests } from '../health/key-rests';
import type { InferenceMetrics } from '../metrics/inference-metrics';
import { AttemptPlan, type AttemptFailure, type NextAttempt } from '../routing/attempt-plan';
import type { Route } from '../routing/route-table';
import { endGenerationSpan, generationSpan } from './spans';
import type { Upstream } from '../upstream/upstream-pools';
import { isBeyondBelief, toldUsage } from '../usage/told-usage';
import { countTokens, type TokenCount, UsageRecord, type CountedAttempt } from '../usage/usage-record';
import { type AnswerTurns, CallerAnswer } from './caller-answer';
import { AttemptRunner, type RunningAttempt } from './attempt-runner';
import { Continuation } from './continuation';
import {
  answersFull,
  deadlinePassed,
  failedWithoutCaller,
  internalFault,
  nothingToTry,
  providersFailed,
  stopped,
  type Outcome,
  whileKeysRest,
} from './generation-failure';
import { Hedge } from './hedge';
import type { TranslationThreads } from './translation-threads';
import type { AttemptEnd, UpstreamAttempt } from './upstream-attempt';

/**
 * What every run needs. `maxAnswerBytes` bounds what is held in memory for one answer, `memory` what all of
 * them take.
 */
export interface RunResources {
  upstream: Upstream;
  gate: AttemptGate;
  keys: KeyRests;
  metrics: InferenceMetrics;
  tracer: Tracer;
  logger: Logger;
  retries: number;
  maxAnswerBytes: number;
  memory: FairMemory;
  turns: AnswerTurns;
  threads: TranslationThreads;
}

/** The outcome of the whole run, or what to try next (null: nothing is left). */
type Verdict = Outcome | { state: 'undecided'; next: NextAttempt | null };

const nothingUsed: TokenCount = { usage: noUsage, estimated: false };

/** To stop a call takes as long as to read so many bytes of an answer, about. */
const stopBytes = 4_096;
/** What is counted in less than a quarter of a millisecond, characters. */
const shortText = 2_048;

/** One call from its first attempt to its usage event. Whatever happens, it ends the call exactly once. */
export class GenerationRun {
  private readonly answer: CallerAnswer;
  private readonly record: UsageRecord;
  private readonly plan: AttemptPlan;
  private readonly runner: AttemptRunner;
  /** Null: no model was asked that wants one. */
  private hedge: Hedge | null = null;
  private readonly continuation: Continuation;
  private readonly span: Span;
  private readonly failures: AttemptFailure[] = [];
  /**
   * The attempt that is billed: the one that answers, else the last that was begun in its turn. Null: none
   * was, or none since an answer broke off that may go on.
   */
  private current: RunningAttempt | null = null;
  /** For the key that is asked now. */
  private waitedForTurn = false;

  constructor(
    private readonly call: GenerationCall,
    private readonly routes: readonly Route[],
    private readonly resources: RunResources,
    /** Null: no guardrail holds for the answer. */
    guard: Guard | null = null,
  ) {
    this.answer = new CallerAnswer(call);
    this.record = new UsageRecord(call.request);
    this.plan = new AttemptPlan(
      routes,
      resources.retries,
      (route, delayMs, reason) =>
        delayMs < this.leftMs && (reason === 'busy' || resources.gate.takeRetry(route, callerOf(call.request))),
    );
    this.continuation = new Continuation(call);
    this.span = generationSpan(resources.tracer, call.request);
    this.runner = new AttemptRunner(
      call,
      this.answer,
      this.record,
      resources,
      this.continuation,
      this.span.traceparent,
      guard,
      routes.filter((route) => !resources.gate.isHeld(route)).length === 1,
    );
  }

  /** Ends the call. Never rejects. */
  async run(): Promise<void> {
    this.call.onStop = () => void this.stopInTurn();
    let outcome: Outcome;
    try {
      outcome = await this.tryAll();
    } catch (cause) {
      outcome = this.internal(cause);
    }
    const isTold = outcome.state === 'completed' && this.current && toldUsage(this.current.attempt.evidence().reader);
    if (!isTold) await this.turnToCount();
    this.close(outcome);
  }

  /**
   * To close a provider's connection and to account for what it answered takes some tenths of a millisecond:
   * that of fifty callers who leave at once is done in several turns of the event loop.
   */
  private async stopInTurn(): Promise<void> {
    await this.resources.turns.turn(this.call.request, stopBytes);
    this.runner.stopAll();
  }

  /**
   * Tokens of what was left are counted by tokenizer, 40 ms for 128 KiB of letters that are no words: neither
   * one long answer nor fifty callers who leave at once may keep all others waiting.
   */
  private async turnToCount(): Promise<void> {
    const { call, current, resources } = this;
    const reader = current?.attempt.evidence().reader;
    const input = Math.min(call.body.length, sampledCharacters);
    if (!current || (reader?.outputLength ?? 0) + input <= shortText) return;
    await resources.turns.turn(call.request, input);
    do await resources.turns.turn(call.request, foldedText);
    while (this.unlessFailing(() => reader?.countSome?.() ?? false, false));
  }

  private get leftMs(): number {
    return this.call.request.deadlineAt - Date.now();
  }

  private async tryAll(): Promise<Outcome> {
    let next = this.plan.first();
    while (next) {
      const verdict = await this.tryOne(next);
      if (verdict.state !== 'undecided') return verdict;
      next = verdict.next;
    }
    return whileKeysRest(this.nothingLeft(), this.restMs, this.failures.length > 0);
  }

  private nothingLeft(): Outcome {
    const last = this.failures.at(-1);
    const { broken } = this.continuation;
    if (broken) return providersFailed([broken.failure], broken.failure);
    if (last) return providersFailed(this.failures, last);
    return nothingToTry(this.call.request.model, this.runner.refusal, this.runner.passedOver);
  }

  /** How long all keys of the places that may be asked rest; 0: one of them does not. */
  private get restMs(): number {
    const { gate, keys } = this.resources;
    return keys.restMs(this.routes.filter((route) => !gate.isHeld(route)));
  }

  private async tryOne({ route, delayMs }: NextAttempt): Promise<Verdict> {
    if (delayMs > 0) await this.wait(delayMs);
    const ready = this.call.stopReason ? null : this.runner.ready(route);
    if (ready) await ready;
    if (this.call.stopReason) return stopped(this.call.stopReason);
    if (this.leftMs <= 0) return deadlinePassed();
    const attempt = this.runner.begin(route, this.plan.isLast) ?? (await this.inTurn());
    if (this.call.stopReason) {
      // It may have been begun in the turn in which the call was stopped.
      this.runner.stopAll();
      return stopped(this.call.stopReason);
    }
    if (!attempt) return { state: 'undecided', next: this.plan.skip() };
    this.current = attempt;
    if (attempt.route.model.hedgeAfterMs === undefined) return this.judge(await attempt.ended);
    this.hedge ??= new Hedge(this.plan, this.runner, this.answer);
    const { failed, last } = await this.hedge.follow(attempt, attempt.route.model.hedgeAfterMs);
    this.failures.push(...failed);
    this.current = last.attempt;
    return this.judge(last.end);
  }

  /** When no route could take the request: waits for a place, once for each key of a provider. */
  private async inTurn(): Promise<RunningAttempt | null> {
    if (!this.plan.isLast || this.waitedForTurn) return null;
    this.waitedForTurn = true;
    const attempt = await this.runner.beginInTurn(true);
    if (attempt) this.plan.moveTo(attempt.route);
    return attempt;
  }

  /** Waits, but not after the call was stopped. */
  private async wait(delayMs: number): Promise<void> {
    // Rejects only when the signal aborts, which the next step looks at.
    await sleep(delayMs, undefined, { signal: this.call.signal }).catch(() => undefined);
  }

  private judge(end: AttemptEnd): Verdict {
    switch (end.kind) {
      case 'completed':
        // Where it was to be stopped in a later turn, nobody was there for its end.
        return this.call.stopReason ? stopped(this.call.stopReason) : { state: 'completed' };
      case 'stopped':
      case 'outrun':
        return stopped(this.call.stopReason);
      case 'internal':
        return this.internal(end.cause);
      case 'crowded-out':
        return answersFull();
      case 'failed':
        this.failures.push(end);
        return this.afterFailure(end);
    }
  }

  /** Nothing else is tried after the answer has begun, unless it can go on at another place. */
  private afterFailure(failure: AttemptFailure): Verdict {
    const { continuation, current } = this;
    const isHeard = continuation.broken ? current?.attempt.isAnswering : this.answer.begun;
    if (!isHeard && current && this.runner.mayUseAnotherKey(current.route, failure)) {
      // Others may have its place by now.
      this.waitedForTurn = false;
      return { state: 'undecided', next: { route: current.route, delayMs: 0 } };
    }
    if (!isHeard || !current) return { state: 'undecided', next: this.plan.after(failure) };
    const { attempt, route } = current;
    const count = (): CountedAttempt => this.record.counted(current, this.tokensOf(attempt, false));
    if (!continuation.take(route, attempt, failure, count)) return providersFailed([failure], failure);
    // The caller pays for the beginning, as what was before, and once.
    this.current = null;
    this.plan.moveTo(route);
    return { state: 'undecided', next: this.plan.skip() };
  }

  private internal(cause: unknown): Outcome {
    this.runner.stopAll();
    this.resources.logger.error({ requestId: this.call.request.requestId, err: cause }, 'generation failed');
    return internalFault();
  }

  private close(outcome: Outcome): void {
    const event = this.usageEvent(outcome);
    const reader = this.current?.attempt.evidence().reader;
    if (this.current && reader) this.noteNonsense(this.current.route.endpoint.provider.id, reader);
    if (outcome.state === 'completed') this.call.end(event);
    else this.call.fail(outcome.failure, event);
    const { request } = this.call;
    const { firstTokenAt } = this.answer;
    this.resources.metrics.generationEnded(request, outcome.state, firstTokenAt);
    if (event) this.noteTokens(event.usage);
    endGenerationSpan(this.span, outcome, firstTokenAt && firstTokenAt - request.startedAt);
  }

  /** Has the log tell what no provider should do. */
  private noteNonsense(provider: string, { isCut, usage }: AnswerReader): void {
    const { requestId, maxOutputTokens } = this.call.request;
    const { logger } = this.resources;
    if (isCut) {
      const facts = { requestId, provider, maxOutputTokens };
      logger.warn(facts, 'a provider went on far beyond the limit of its answer, which was cut');
    }
    if (usage && isBeyondBelief(usage)) {
      const { input, output } = usage;
      logger.warn({ requestId, provider, input, output }, 'a provider told more tokens than any request can use');
    }
  }

  /** Tells the metrics what was used where. */
  private noteTokens(usage: TokenUsage): void {
    const { current } = this;
    const { metrics } = this.resources;
    const { broken } = this.continuation;
    if (broken && usage.input > 0) metrics.tokensUsed(broken.route, broken.tokens.usage);
    if (current) metrics.tokensUsed(current.route, broken ? withoutParts(usage) : usage);
  }

  /** Null: no provider was asked, so there is nothing to count. */
  private usageEvent(outcome: Outcome): UsageEvent | null {
    if (!this.record.reachedProvider) return null;
    const { firstTokenAt } = this.answer;
    const status = this.answer.status ?? (outcome.state === 'completed' ? 200 : outcome.failure.status);
    const facts = { state: outcome.state, status, firstTokenAt };
    const { broken } = this.continuation;
    const isOfCaller = !failedWithoutCaller(outcome, this.call.stopReason);
    const isPassedOn = this.current?.attempt.isAnswering === true;
    // What went on in vain is its provider's to charge for, to nobody who heard nothing of it.
    const tokens = broken && !isOfCaller && !isPassedOn ? nothingUsed : this.tokens(outcome);
    const delivered = (isPassedOn ? tokens.usage.output : 0) + (broken?.tokens.usage.output ?? 0);
    const isCharged = isOfCaller || delivered > 0;
    // Where nothing went on, the model of the beginning is the one that answered.
    const isAlone = broken && tokens.usage.input + tokens.usage.output === 0;
    const inputTokens = this.record.lacksInput ? this.inputTokens(outcome, tokens) : 0;
    return this.record.event(facts, isAlone ? broken : this.current, tokens, {
      isCharged,
      before: broken,
      inputTokens,
    });
  }

  /**
   * Tokens of the request, for attempts whose provider told none. None are counted where an answer is there,
   * since its caller waits for the end.
   */
  private inputTokens(outcome: Outcome, { usage }: TokenCount): number {
    const { current, continuation } = this;
    const known = usage.input || (continuation.broken?.tokens.usage.input ?? 0);
    if (known > 0 || outcome.state === 'completed' || !current) return known;
    const { countInputTokens } = current.attempt.order;
    return this.unlessFailing(countInputTokens, 0);
  }

  /** Tokens of the billed attempt. */
  private tokens(outcome: Outcome): TokenCount {
    const { current, call } = this;
    if (!current) return nothingUsed;
    // What a guardrail refused as a whole was whole: its provider's count is the truth of it, too.
    const refused = outcome.state === 'failed' && outcome.failure.guardrail !== undefined && !call.request.stream;
    return this.tokensOf(current.attempt, outcome.state === 'completed' || refused);
  }

  private tokensOf(attempt: UpstreamAttempt, completed: boolean): TokenCount {
    const { countInputTokens } = attempt.order;
    const count = () => countTokens(Object.assign(attempt.evidence(), { completed }), countInputTokens);
    return this.unlessFailing(count, { usage: noUsage, estimated: true });
  }

  /** A tokenizer that fails must not cost the event. */
  private unlessFailing<Counted>(count: () => Counted, otherwise: Counted): Counted {
    try {
      return count();
    } catch (cause) {
      this.resources.logger.error({ requestId: this.call.request.requestId, err: cause }, 'tokens were not counted');
      return otherwise;
    }
  }
}
