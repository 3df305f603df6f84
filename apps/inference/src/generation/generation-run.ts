import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { GatewayError, noUsage, type UsageEvent } from '@tollgate/contracts';
import type { GenerationCall } from '@tollgate/messaging';
import type { Logger } from '@tollgate/observability';
import type { InferenceMetrics } from '../metrics/inference-metrics';
import { AttemptPlan, type NextAttempt } from '../routing/attempt-plan';
import type { Route } from '../routing/route-table';
import type { Upstream } from '../upstream/upstream-pools';
import { countTokens, type TokenCount } from '../usage/token-count';
import { UsageRecord } from '../usage/usage-record';
import { attemptOrder, type AttemptOrder } from './attempt-order';
import { CallerAnswer } from './caller-answer';
import {
  deadlinePassed,
  internalFault,
  noRoute,
  providersFailed,
  refusedByTranslation,
  stopped,
  type FailedAttempt,
  type Outcome,
} from './generation-failure';
import { UpstreamAttempt, type AttemptEnd } from './upstream-attempt';

/** What every run needs. `maxAnswerBytes` bounds what is held in memory for one answer. */
export interface RunResources {
  upstream: Upstream;
  metrics: InferenceMetrics;
  logger: Logger;
  retries: number;
  maxAnswerBytes: number;
}

/** The outcome of the whole run, or what to try next (null: nothing is left). */
type Verdict = Outcome | { state: 'undecided'; next: NextAttempt | null };

/** One call from its first attempt to its usage event. Whatever happens, it ends the call exactly once. */
export class GenerationRun {
  private readonly answer: CallerAnswer;
  private readonly record: UsageRecord;
  private readonly plan: AttemptPlan;
  private readonly failures: FailedAttempt[] = [];
  private refusal: GatewayError | null = null;
  private attempts = 0;
  private current: UpstreamAttempt | null = null;

  constructor(
    private readonly call: GenerationCall,
    routes: readonly Route[],
    private readonly sandbox: boolean,
    private readonly resources: RunResources,
  ) {
    this.answer = new CallerAnswer(call);
    this.record = new UsageRecord(call.request);
    this.plan = new AttemptPlan(routes, resources.retries);
  }

  /** Ends the call. Never rejects. */
  async run(): Promise<void> {
    const stop = (): void => this.current?.stop();
    this.call.signal.addEventListener('abort', stop, { once: true });
    const outcome = await this.tryAll().catch((cause: unknown) => this.internal(cause));
    this.call.signal.removeEventListener('abort', stop);
    this.close(outcome);
  }

  private async tryAll(): Promise<Outcome> {
    let next = this.plan.first();
    while (next) {
      const verdict = await this.tryOne(next);
      if (verdict.state !== 'undecided') return verdict;
      next = verdict.next;
    }
    const last = this.failures.at(-1);
    if (last) return providersFailed(this.failures, last);
    return this.refusal ? refusedByTranslation(this.refusal) : noRoute(this.call.request.model);
  }

  private async tryOne({ route, delayMs }: NextAttempt): Promise<Verdict> {
    if (delayMs > 0) await this.wait(delayMs);
    if (this.call.signal.aborted) return stopped(this.call.signal.reason);
    const leftMs = this.call.request.deadlineAt - Date.now();
    if (leftMs <= 0) return deadlinePassed();
    const order = this.order(route, leftMs);
    if (!order) return { state: 'undecided', next: this.plan.skip() };
    const attempt = this.begin(order);
    // The announcement leaves this process at the end of a turn. Only then may the provider be reached.
    await nextTurn();
    const end = await attempt.run(this.resources.upstream);
    this.note(attempt, end);
    return this.judge(end);
  }

  /** Waits, but not beyond the deadline nor after the call was stopped. */
  private async wait(delayMs: number): Promise<void> {
    const { signal, request } = this.call;
    const ms = Math.min(delayMs, Math.max(0, request.deadlineAt - Date.now()));
    // Rejects only when the signal aborts, which the next step looks at.
    await sleep(ms, undefined, { signal }).catch(() => undefined);
  }

  /** Null: this route cannot express the request; the reason of the first such route is kept. */
  private order(route: Route, leftMs: number): AttemptOrder | null {
    const { call, sandbox } = this;
    const { maxAnswerBytes } = this.resources;
    const circumstances = { number: this.attempts + 1, leftMs, sandbox, maxHeldBytes: maxAnswerBytes };
    try {
      return attemptOrder(call.request, call.body, route, circumstances);
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      this.refusal ??= error;
      return null;
    }
  }

  /** Tells edge before the provider is reached: if this instance dies from here on, edge knows that there is something to count. */
  private begin(order: AttemptOrder): UpstreamAttempt {
    const { model, endpoint, deployment } = order.route;
    this.attempts += 1;
    this.record.beginAttempt(order.route);
    this.current = new UpstreamAttempt(order, this.answer);
    this.call.attempt({
      number: this.attempts,
      model: model.id,
      provider: endpoint.provider.id,
      deployment: deployment.id,
    });
    return this.current;
  }

  private note(attempt: UpstreamAttempt, end: AttemptEnd): void {
    const error = end.kind === 'failed' ? end.error.code : end.kind === 'completed' ? null : end.kind;
    const noted = this.record.endAttempt(attempt.status, error);
    if (!noted) return;
    this.resources.metrics.attemptEnded(noted.provider, error ?? 'completed');
    if (end.kind !== 'failed') return;
    const { requestId } = this.call.request;
    this.resources.logger.warn({ requestId, ...noted, reason: end.error.message }, 'attempt failed');
  }

  private judge(end: AttemptEnd): Verdict {
    switch (end.kind) {
      case 'completed':
        return { state: 'completed' };
      case 'stopped':
        return stopped(this.call.signal.reason);
      case 'internal':
        return this.internal(end.cause);
      case 'failed':
        this.failures.push(end);
        if (this.answer.begun) return providersFailed([end], end);
        return { state: 'undecided', next: this.plan.after(end.error, end.timedOut) };
    }
  }

  private internal(cause: unknown): Outcome {
    this.current?.stop();
    this.resources.logger.error({ requestId: this.call.request.requestId, err: cause }, 'generation failed');
    return internalFault();
  }

  private close(outcome: Outcome): void {
    const event = this.usageEvent(outcome);
    if (outcome.state === 'completed') this.call.end(event);
    else this.call.fail(outcome.failure, event);
    this.resources.metrics.generationEnded(this.call.request, outcome.state, this.answer.firstTokenAt);
  }

  /** Null: no provider was asked, so there is nothing to count. */
  private usageEvent(outcome: Outcome): UsageEvent | null {
    // Only a fault of ours leaves an attempt open.
    this.record.endAttempt(this.current?.status ?? null, 'internal');
    if (!this.record.reachedProvider) return null;
    const { firstTokenAt } = this.answer;
    const status = this.answer.status ?? (outcome.state === 'completed' ? 200 : outcome.failure.status);
    return this.record.event({ state: outcome.state, status, firstTokenAt }, this.tokens(outcome));
  }

  /** Tokens of the last attempt; those before it are not billed. A tokenizer that fails must not cost the event. */
  private tokens(outcome: Outcome): TokenCount {
    const { current, call } = this;
    if (!current) return { usage: noUsage, estimated: false };
    const completed = outcome.state === 'completed';
    try {
      return countTokens({ ...current.evidence(), completed, stream: call.request.stream }, () =>
        current.countInputTokens(call.body),
      );
    } catch (cause) {
      this.resources.logger.error({ requestId: call.request.requestId, err: cause }, 'tokens were not counted');
      return { usage: noUsage, estimated: true };
    }
  }
}
