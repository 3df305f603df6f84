import { GatewayError } from '@tollgate/contracts';
import type { UsageEvent } from '@tollgate/contracts';
import type {
  CancelReason,
  GenerationAttempt,
  GenerationFailure,
  GenerationHead,
  GenerationRequest,
} from '@tollgate/contracts/inference';
import type { ToldCost, Transcript } from '@tollgate/dialects/surface';
import type { GenerationClient, GenerationHandle, GenerationListener } from '@tollgate/messaging';
import type { Span } from '@tollgate/observability';
import type { Charge } from '../admission/leases/budget-lease';
import type { Reserved } from '../admission/admission';
import type { Clock } from '../clock';
import type { Answer } from './answer';
import type { CallerResponse } from './caller-response';
import type { SeenGeneration } from './edge-usage-event';
import { ownKeyRefusalOf } from './own-keys';
import { failRequestSpan } from './request-span';
import { toCallerError } from '../errors/to-gateway-error';

/**
 * How a generation ended. `usedTokens` as far as known; `firstTokenAt` is epoch milliseconds, null when
 * nothing was answered.
 */
export interface GenerationOutcome {
  readonly state: 'completed' | 'failed' | 'cancelled';
  readonly usedTokens: number;
  readonly firstTokenAt: number | null;
}

/** What goes to inference, what is set aside for it, and what its answer is handed to. */
export interface Dispatch {
  readonly request: GenerationRequest;
  readonly answer: Answer;
  readonly reservation: Pick<Reserved, 'settle'>;
}

/**
 * What goes out once more, without the keys of its account that were refused; else what the caller is told.
 * Never rejects.
 */
export type FallBack = (failure: GenerationFailure) => Promise<Dispatch | GatewayError>;

/**
 * What one generation works with. `transcript` null: the answer is no stream, so what was cut off of it was
 * not delivered and counts nothing.
 */
export interface GenerationParts extends Dispatch {
  readonly digest: string;
  readonly response: CallerResponse;
  readonly transcript: Transcript | null;
  readonly clock: Clock;
  readonly span: Span;
  /** Hears the head of the answer before the caller does. */
  onHead(head: GenerationHead): void;
  /**
   * What the caller is told that it pays, from the usage event (null: not known); never rejects. Absent: it
   * did not ask.
   */
  readonly toldCost?: ((event: UsageEvent | null) => Promise<ToldCost>) | undefined;
  /** Absent: what keys of its account are refused for is the answer. */
  readonly fallBack?: FallBack | undefined;
  /**
   * Input tokens by tokenizer; slow, so asked only when edge must report the usage itself. The promise does
   * not reject.
   */
  countInputTokens(): number | Promise<number>;
  /** Publishes the usage of a generation that no inference instance accounts for. */
  report(seen: SeenGeneration): void;
  /**
   * It fails before any provider was asked, or, where it falls back, before one was with the operator's keys,
   * and its caller is still there.
   */
  onUnanswered(error: GatewayError): void;
  /** The generation is accounted for: nothing of it is needed any more. */
  onSettled(outcome: GenerationOutcome, request: GenerationRequest): void;
}

/**
 * One generation from its dispatch until it is accounted for: pumps the answer to the caller, and stops when
 * either side does. It is dispatched once more where it falls back.
 */
export class Generation implements GenerationListener {
  private handle: GenerationHandle | null = null;
  private stopReason: CancelReason | null = null;
  private dispatch: Dispatch;
  private sending: (() => GenerationHandle) | null = null;
  /** Null: it has fallen back, or may not. */
  private fallBack: FallBack | null;
  /** What keys of its account were refused for, while that is not the answer. */
  private refusal: GenerationFailure | null = null;
  private attempts: (GenerationAttempt & { beganAt: number })[] = [];
  private providerStatus: number | null = null;
  private firstTokenAt: number | null = null;
  private failureCode: string | null = null;
  /**
   * Resolves when a caller that is told its charge, or whose response is kept, has the whole answer; null:
   * nobody waits for that.
   */
  private ending: Promise<void> | null = null;

  constructor(private readonly parts: GenerationParts) {
    this.dispatch = parts;
    this.fallBack = parts.fallBack ?? null;
    parts.response.onConsumed = (bytes) => this.handle?.consumed(bytes);
    parts.response.onLeft = () => this.cancel('caller_left');
  }

  get digest(): string {
    return this.parts.digest;
  }

  get isStream(): boolean {
    return this.parts.request.stream;
  }

  open(client: GenerationClient, body: Uint8Array): void {
    this.sending = () => client.open(this.dispatch.request, body, this);
    this.send();
  }

  cancel(reason: CancelReason): void {
    this.stopReason ??= reason;
    this.handle?.cancel(reason);
  }

  tick(nowMs: number): void {
    // Begun between a refusal and its end, the answer could not tell any more that it falls back.
    if (this.failureCode === null && !this.refusal) this.dispatch.answer.tick(nowMs);
  }

  onAttempt(attempt: GenerationAttempt): void {
    const { number, model, provider, deployment, factors } = attempt;
    this.attempts.push({ number, model, provider, deployment, factors, beganAt: this.parts.clock.nowMs() });
  }

  onHead(head: GenerationHead): void {
    this.providerStatus = head.status;
    this.parts.onHead(head);
    this.dispatch.answer.head(head);
  }

  onData(bytes: Uint8Array): void {
    this.firstTokenAt ??= this.parts.clock.nowMs();
    this.parts.transcript?.push(bytes);
    this.dispatch.answer.data(bytes);
  }

  onEnd(event: UsageEvent | null = null): void {
    this.failureCode = 'ended';
    const { toldCost } = this.parts;
    const { answer } = this.dispatch;
    if (toldCost) this.ending = toldCost(event).then((cost) => answer.end(cost));
    else {
      const ending = answer.end();
      if (ending instanceof Promise) this.ending = ending;
    }
  }

  onFail(failure: GenerationFailure): void {
    if (this.isToFallBack(failure)) this.refusal = failure;
    else this.fail(failure);
  }

  onSettled(accounted: boolean, usedTokens: number | null): void {
    let tokens: number | null | Promise<number> = null;
    const charge = this.charge(accounted);
    try {
      tokens = accounted ? usedTokens : this.reportUsage();
    } finally {
      if (tokens instanceof Promise) void tokens.then((counted) => this.settle(counted, charge));
      else this.settle(tokens, charge);
    }
  }

  private send(): void {
    const handle = this.sending?.() ?? null;
    this.handle = handle;
    if (this.stopReason) handle?.cancel(this.stopReason);
  }

  private fail(failure: GenerationFailure, refused: GatewayError | null = null): void {
    this.failureCode = failure.code;
    if (!this.stopReason) failRequestSpan(this.parts.span, failure);
    const provider = this.attempts.at(-1)?.provider ?? null;
    const error = refused ?? toCallerError(failure, this.stopReason, provider);
    const isUnanswered = provider === null || refused !== null;
    if (isUnanswered && this.stopReason !== 'caller_left') this.parts.onUnanswered(error);
    this.dispatch.answer.fail(error, this.attemptHeaders());
  }

  /** Its caller can still be told whose key answers, and nothing of an answer was there. */
  private isToFallBack(failure: GenerationFailure): boolean {
    const hasBegun = this.parts.response.status !== null || this.firstTokenAt !== null;
    return this.fallBack !== null && !hasBegun && !this.stopReason && ownKeyRefusalOf(failure) !== null;
  }

  /** What the first dispatch held is settled. */
  private async goOn(failure: GenerationFailure, fallBack: FallBack): Promise<void> {
    this.refusal = null;
    this.fallBack = null;
    this.handle = null;
    // Where it is not dispatched again, the provider that refused its key is still the one to name.
    const next = this.stopReason ? null : await fallBack(failure);
    const refused = next instanceof GatewayError;
    if (next && !refused && !this.stopReason) {
      this.dispatch = next;
      this.attempts = [];
      return this.send();
    }
    if (next && !refused) next.reservation.settle(0, 'none');
    this.fail(failure, refused && !this.stopReason ? next : null);
    this.over(0);
  }

  /**
   * An event follows an attempt. Where none was heard of and nobody is left to tell, there may have been one.
   */
  private charge(accounted: boolean): Charge {
    if (this.attempts.length > 0) return 'reported';
    return accounted ? 'none' : 'unknown';
  }

  private settle(tokens: number | null, charge: Charge): void {
    const { refusal, fallBack } = this;
    try {
      this.dispatch.reservation.settle(tokens, charge);
    } finally {
      if (refusal && fallBack) void this.goOn(refusal, fallBack);
      else this.over(tokens);
    }
  }

  private over(tokens: number | null): void {
    const outcome = { state: this.state, usedTokens: tokens ?? 0, firstTokenAt: this.firstTokenAt };
    const over = (): void => this.parts.onSettled(outcome, this.dispatch.request);
    if (this.ending) void this.ending.finally(over);
    else over();
  }

  /** What is known of where the answer comes from before its head says so. */
  attemptHeaders(): Record<string, string> {
    const last = this.attempts.at(-1);
    if (!last) return {};
    return {
      'x-gateway-provider': last.provider,
      'x-gateway-model': last.model,
      'x-gateway-attempts': String(this.attempts.length),
    };
  }

  private get state(): GenerationOutcome['state'] {
    if (this.failureCode === 'ended') return 'completed';
    return this.stopReason ? 'cancelled' : 'failed';
  }

  /** Returns the tokens that the caller pays for; none when no provider was reached. */
  private reportUsage(): number | Promise<number> {
    const lastAttempt = this.attempts.at(-1);
    if (!lastAttempt) return 0;
    const endedAt = this.parts.clock.nowMs();
    const report = (inputTokens: number) => this.reported({ lastAttempt, inputTokens, endedAt });
    const counted = this.parts.countInputTokens();
    return counted instanceof Promise ? counted.then(report) : report(counted);
  }

  private reported(known: Pick<SeenGeneration, 'lastAttempt' | 'inputTokens' | 'endedAt'>): number {
    const outputTokens = this.parts.transcript?.outputTokens() ?? 0;
    const isCharged = outputTokens > 0 || (this.stopReason !== null && this.stopReason !== 'deadline');
    this.parts.report({
      ...known,
      request: this.dispatch.request,
      attempts: this.attempts,
      state: this.stopReason ? 'cancelled' : 'failed',
      status: this.parts.response.status ?? this.refusal?.status ?? 499,
      providerStatus: this.providerStatus,
      failureCode: this.failureCode ?? this.refusal?.code ?? 'internal',
      isCharged,
      outputTokens,
      served: this.parts.transcript?.served(known.lastAttempt.provider),
      firstTokenAt: this.firstTokenAt,
    });
    return isCharged ? known.inputTokens + outputTokens : 0;
  }
}
