import { GatewayError, priceFactorsOf, type Attempt } from '@tollgate/contracts';
import { ownKeyProvider } from '@tollgate/contracts/accounts';
import { isDear, type Translation } from '@tollgate/dialects';
import type { Guard } from '@tollgate/guardrails';
import type { GenerationCall } from '@tollgate/messaging';
import type { AttemptAsk, AttemptRefusal } from '../health/attempt-gate';
import type { AttemptPass, AttemptResult } from '../health/attempt-pass';
import { callerOf } from '../health/caller-window';
import { isAboutKey } from '../health/key-rests';
import type { Route } from '../routing/route-table';
import type { AttemptFailure } from '../routing/attempt-plan';
import { timeLimitsOf } from '../routing/time-limits';
import type { PooledKey } from '../upstream/provider-endpoint';
import { withReadingKey } from '../upstream/provider-endpoint';
import { AttemptSpan } from './spans';
import { attemptWords } from '../usage/attempt-words';
import { toldUsage } from '../usage/told-usage';
import { lostUse, type BilledAttempt, type EndAttempt, type UsageRecord } from '../usage/usage-record';
import { attemptOrder, type AttemptOrder } from './attempt-order';
import type { CallerAnswer } from './caller-answer';
import type { Continuation } from './continuation';
import { DearTranslation } from './dear-translation';
import type { RunResources } from './generation-run';
import { UpstreamAttempt, type AttemptEnd } from './upstream-attempt';

/**
 * So long a request waits for a place at a provider that refuses for load; a deployment with a limit of its
 * own is waited for as long as for an answer.
 */
const shortWaitMs = 2_000;
/** Characters of a provider's name for its answer that are kept. */
const longestAnswerId = 200;
/** What had less of a request's time than this says nothing of the place by running out of it. */
const nearlyAll = 0.9;

/** An attempt that was begun. `ended` never rejects. */
export interface RunningAttempt extends BilledAttempt {
  readonly attempt: UpstreamAttempt;
  readonly ended: Promise<AttemptEnd>;
}

/** What has to be told of an attempt's end. */
interface Begun {
  route: Route;
  attempt: UpstreamAttempt;
  /** Edge was told of it: the provider may be reached. */
  announced: Promise<void>;
  pass: AttemptPass;
  endAttempt: EndAttempt;
  span: AttemptSpan | null;
}

/**
 * Begins the attempts of one call, and tells edge, the record, the metrics and the provider's health of them.
 */
export class AttemptRunner {
  /** Why routes were passed over; the first of each kind. */
  refusal: GatewayError | null = null;
  readonly passedOver: AttemptRefusal[] = [];
  private count = 0;
  private readonly running = new Set<UpstreamAttempt>();
  private readonly providers = new Set<string>();
  /** The first route that had no place. */
  private full: Route | null = null;
  /** Keys of providers that refused this request. */
  private readonly refusedKeys = new Set<PooledKey>();
  /** Status and words of the failures until now. */
  private readonly failedWith = new Set<string>();
  /** Null: nothing dear was asked for. */
  private translation: DearTranslation | null = null;

  constructor(
    private readonly call: GenerationCall,
    private readonly answer: CallerAnswer,
    private readonly record: UsageRecord,
    private readonly resources: RunResources,
    /** What attempts are asked. */
    private readonly continuation: Continuation,
    /** The traceparent of the call's span, null while nothing is traced. */
    private readonly parent: string | null = null,
    private readonly guard: Guard | null = null,
    /** There is one route only. */
    private readonly alone = false,
  ) {}

  /**
   * Resolves once a large request is in this route's dialect, so that it can be begun; null: it can be at
   * once.
   */
  ready(route: Route): Promise<void> | null {
    const { body } = this.continuation;
    if (!isDear(body)) return null;
    this.translation ??= new DearTranslation(this.call.request, this.resources.threads);
    return this.translation.ready(route, this.keyFor(route), body);
  }

  /** Whether what one of the provider's keys was refused may be served to another one, now. */
  mayUseAnotherKey(route: Route, failure: AttemptFailure): boolean {
    const { keyId } = this.call.request;
    return isAboutKey(failure) && this.resources.keys.awake(route, keyId, this.refusedKeys) !== undefined;
  }

  /** The call is over, whatever its attempts do. */
  get isStopped(): boolean {
    return this.call.stopReason !== null;
  }

  /**
   * Null: this route cannot take the request now, or not at all; the reason is kept. `last`: no other route
   * comes after it.
   */
  begin(route: Route, last: boolean): RunningAttempt | null {
    const { gate } = this.resources;
    const leftMs = this.leftMs;
    return this.beginWith(route, last, leftMs, gate.admit(route, this.ask(leftMs)));
  }

  /**
   * Waits for a place at the first route that had none. Null: there was no such route, it took too long, or
   * the call was stopped; the reason is kept.
   */
  async beginInTurn(last: boolean): Promise<RunningAttempt | null> {
    const { full: route } = this;
    if (!route) return null;
    const { gate } = this.resources;
    const { stream } = this.call.request;
    const limitMs =
      route.deployment.maxConcurrent === undefined
        ? shortWaitMs
        : timeLimitsOf(route, { stream, last, ahead: gate.loadOf(route).inFlight }).firstByteMs;
    const patienceMs = Math.min(limitMs, this.leftMs);
    const pass = await gate.admitInTurn(route, this.ask(this.leftMs), patienceMs, this.call.signal);
    return this.beginWith(route, last, this.leftMs, pass);
  }

  /**
   * Ends every attempt that runs but `winner`, which began to answer; without one, because the call is over.
   */
  stopAll(winner: UpstreamAttempt | null = null): void {
    for (const attempt of this.running) {
      if (attempt !== winner) attempt.stop(winner ? 'outrun' : 'stopped');
    }
  }

  /** Which of the provider's keys is asked next; null: it has one, or none. */
  private keyFor(route: Route): PooledKey | null {
    return this.resources.keys.choose(route, this.call.request.keyId, this.refusedKeys);
  }

  private get leftMs(): number {
    return this.call.request.deadlineAt - Date.now();
  }

  private ask(leftMs: number): AttemptAsk {
    const { request } = this.call;
    const { body } = this.continuation;
    return { caller: callerOf(request), leftMs, stream: request.stream, bytes: body.byteLength, alone: this.alone };
  }

  private beginWith(
    route: Route,
    last: boolean,
    leftMs: number,
    pass: AttemptPass | AttemptRefusal,
  ): RunningAttempt | null {
    if ('kind' in pass) {
      this.passedOver.push(pass);
      if (pass.kind === 'full') this.full ??= route;
      return null;
    }
    const order = this.order(route, leftMs, last, pass);
    return order && this.start(route, order, pass);
  }

  /** Null: this route cannot express the request; the reason of the first such route is kept. */
  private order(route: Route, leftMs: number, last: boolean, pass: AttemptPass): AttemptOrder | null {
    const { call, continuation, guard } = this;
    const { gate, maxAnswerBytes, memory, turns } = this.resources;
    const chosen = this.translation?.keyAt(route, continuation.body) ?? this.keyFor(route);
    try {
      return withReadingKey(route.endpoint, chosen, this.refusedKeys, (key) =>
        attemptOrder(call.request, continuation.body, route, {
          attempts: () => this.count,
          leftMs,
          last,
          key,
          // This one has its place by now.
          ahead: Math.max(0, gate.loadOf(route).inFlight - 1),
          maxHeldBytes: maxAnswerBytes,
          admit: (bytes, over) => memory.admit(call.request, Math.min(bytes, memory.limit), over),
          read: turns.reader(call.request),
          guard,
          continued: continuation.answerAt(route),
          maxOutputTokens: continuation.maxOutputTokens,
          translated: (of: Translation) => this.translation?.for(route, key, of, continuation.body),
        }),
      );
    } catch (error) {
      pass.end({ kind: 'unknown' });
      if (!(error instanceof GatewayError)) throw error;
      this.refusal ??= error;
      return null;
    }
  }

  /**
   * Tells edge before the provider is reached: if this instance dies from here on, edge knows that there is
   * something to count.
   */
  private start(route: Route, order: AttemptOrder, pass: AttemptPass): RunningAttempt {
    const { model, endpoint, deployment } = route;
    const { requestId, startedAt } = this.call.request;
    const provider = endpoint.provider.id;
    const number = (this.count += 1);
    if (!this.providers.has(provider)) this.resources.gate.requested(route, callerOf(this.call.request));
    this.providers.add(provider);
    const span = AttemptSpan.begin(this.resources.tracer, this.call.request, route, this.parent);
    if (span?.traceparent) order.send.headers['traceparent'] = span.traceparent;
    const answering = (): void => {
      pass.answering();
      this.stopAll(attempt);
      if (endpoint.simulated) this.resources.logger.info({ requestId, model: model.id, provider }, 'simulated answer');
    };
    const attempt: UpstreamAttempt = new UpstreamAttempt(order, this.answer, span, () => pass.heard(), answering);
    this.running.add(attempt);
    pass.onClosed = () => {
      // Nothing is learned of the deployment from what an operator ended.
      pass.end({ kind: 'unknown' });
      attempt.close();
    };
    const factors = priceFactorsOf(deployment, startedAt);
    const endAttempt = this.record.beginAttempt(route, number);
    const announced = this.call.attempt(
      { number, model: model.id, provider, deployment: deployment.id, ...(factors && { factors }) },
      order.countInputTokens,
    );
    return { route, number, attempt, ended: this.follow({ route, attempt, announced, pass, endAttempt, span }) };
  }

  private async follow({ route, attempt, announced, pass, endAttempt, span }: Begun): Promise<AttemptEnd> {
    await announced;
    // Its turn to be stopped may come later, and no provider is reached until then.
    if (this.isStopped) attempt.stop('stopped');
    const sentAtMs = this.resources.keys.clock();
    const end = await attempt.run(this.resources.upstream);
    this.running.delete(attempt);
    this.noteKey(route, end, attempt.order.key, sentAtMs);
    pass.end(this.resultOf(route, end, attempt));
    const error = errorOf(end);
    const evidence = attempt.evidence();
    const { reader } = evidence;
    span?.end({ status: attempt.status, error, usage: toldUsage(reader) });
    const more = {
      ...(end.kind === 'failed' && attemptWords(end.error)),
      ...(attempt.order.continued?.hasGoneOn && { goesOn: true as const }),
      ...keptId(route, reader),
    };
    const lost = end.kind === 'completed' ? null : lostUse(evidence);
    this.note(endAttempt(attempt.status, error, more, lost), attempt, end);
    return end;
  }

  /** Keeps which key was served, or refused. */
  private noteKey(route: Route, end: AttemptEnd, key: PooledKey | null, sentAtMs: number): void {
    if (!key) return;
    const { keys, logger } = this.resources;
    if (end.kind === 'completed') keys.served(route, key, sentAtMs);
    if (end.kind !== 'failed' || !isAboutKey(end)) return;
    this.refusedKeys.add(key);
    // Whoever brought it is told, and nobody else has to do with it.
    if (route.endpoint.isOwnKey) return;
    const { restsMs, isNew } = keys.refused(route, key, end);
    if (!isNew) return;
    const { id: provider } = route.endpoint.provider;
    logger.warn(
      { provider, key: key.number, deployment: route.deployment.id, status: end.status, restsMs },
      'a key of the provider was refused and rests',
    );
  }

  /**
   * A provider that refuses what the caller wants works; what we ended ourselves says nothing, and neither
   * does a key that was refused while another one is there.
   */
  private resultOf(route: Route, end: AttemptEnd, attempt: UpstreamAttempt): AttemptResult {
    if (end.kind === 'completed') return { kind: 'answered' };
    if (end.kind !== 'failed' || this.ranOutOfTime(end, attempt) || this.mayUseAnotherKey(route, end))
      return { kind: 'unknown' };
    const { status, error, timedOut } = end;
    const { fault, aboutRequest, detail } = error;
    const waitMs = attempt.order.key && isAboutKey(end) ? this.resources.keys.waitMs(route) : null;
    // The key that is awake first may be another one.
    const retryAfterS = error.retryAfterS === null || waitMs === null ? error.retryAfterS : Math.ceil(waitMs / 1_000);
    if (fault === 'caller' || aboutRequest) return { kind: 'answered' };
    const words = `${status} ${detail}`;
    const again = detail !== undefined && this.failedWith.has(words);
    this.failedWith.add(words);
    return { kind: 'failed', status, retryAfterS, timedOut, again };
  }

  /**
   * Whether the time of the request was over before that of the place, and the place is not to blame: much of
   * it was gone before it was asked, as after a body that crept in, or it answered all the while.
   */
  private ranOutOfTime({ error }: AttemptFailure, { order, isAnswering }: UpstreamAttempt): boolean {
    const { timeouts, totalMs } = order.send;
    if (error.code !== 'total_timeout' || totalMs >= timeouts.totalMs) return false;
    const { startedAt, deadlineAt } = this.call.request;
    return isAnswering || totalMs < nearlyAll * (deadlineAt - startedAt);
  }

  private note(
    noted: ReturnType<EndAttempt>,
    { firstByteMs, url, reason, order }: UpstreamAttempt,
    end: AttemptEnd,
  ): void {
    if (!noted) return;
    const { isOwnKey } = order.route.endpoint;
    const named = isOwnKey ? { ...noted, provider: ownKeyProvider(noted.provider) } : noted;
    this.resources.metrics.attemptEnded(named, firstByteMs);
    if (end.kind !== 'failed') return;
    const { requestId } = this.call.request;
    this.resources.logger.warn(
      {
        requestId,
        ...named,
        reason: end.error.message,
        detail: end.error.detail,
        method: 'POST',
        url,
        ...(reason !== null && { system: reason }),
        ...(order.key && { key: order.key.number }),
      },
      'attempt failed',
    );
  }
}

/**
 * What the provider calls its answer, where it tells by that what the answer cost. It tells the operator's
 * key nothing of what an account's was charged for.
 */
function keptId(
  { endpoint }: Route,
  reader: ReturnType<UpstreamAttempt['evidence']>['reader'],
): Pick<Attempt, 'answerId'> {
  if (endpoint.isOwnKey) return {};
  const answerId = endpoint.provider.bills?.form === 'openrouter' ? reader?.answerId : null;
  return answerId == null ? {} : { answerId: answerId.slice(0, longestAnswerId) };
}

/** The code that stands in the usage event; null for a success. */
function errorOf(end: AttemptEnd): string | null {
  return end.kind === 'failed' ? end.error.code : end.kind === 'completed' ? null : end.kind;
}
