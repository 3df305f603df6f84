import type { Attempt, GenerationRequest, UsageEvent } from '@tollgate/contracts';
import type { Route } from '../routing/route-table';
import type { TokenCount } from './token-count';

/** What the one usage event of a request is made of, gathered while it runs. */
export class UsageRecord {
  private readonly attempts: Attempt[] = [];
  private running: { route: Route; startedMs: number } | null = null;
  private model: string;

  constructor(private readonly request: GenerationRequest) {
    this.model = request.model;
  }

  /** False: no attempt has ended, so there is nothing to report. */
  get reachedProvider(): boolean {
    return this.attempts.length > 0;
  }

  beginAttempt(route: Route): void {
    this.model = route.model.id;
    this.running = { route, startedMs: performance.now() };
  }

  /** `status` null: the provider sent none. `error` null: it succeeded. Returns the attempt, or null when none was running. */
  endAttempt(status: number | null, error: string | null): Attempt | null {
    if (!this.running) return null;
    const { route, startedMs } = this.running;
    this.running = null;
    const attempt: Attempt = {
      deployment: route.deployment.id,
      provider: route.endpoint.provider.id,
      status,
      error,
      latencyMs: Math.round(performance.now() - startedMs),
    };
    this.attempts.push(attempt);
    return attempt;
  }

  /** The event. `model` is that of the last attempt: the one that answered, or was the last to fail. */
  event(facts: Pick<UsageEvent, 'state' | 'status' | 'firstTokenAt'>, tokens: TokenCount): UsageEvent {
    const { request } = this;
    return {
      id: request.eventId,
      requestId: request.requestId,
      keyId: request.keyId,
      accountId: request.accountId,
      requestedModel: request.requestedModel,
      model: this.model,
      surface: request.surface,
      stream: request.stream,
      state: facts.state,
      status: facts.status,
      estimated: tokens.estimated,
      usage: tokens.usage,
      attempts: this.attempts,
      startedAt: request.startedAt,
      firstTokenAt: facts.firstTokenAt,
      endedAt: Date.now(),
      lease: request.lease,
      reportedBy: 'inference',
    };
  }
}
