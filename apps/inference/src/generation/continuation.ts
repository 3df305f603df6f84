import type { SurfaceName, TokenUsage } from '@tollgate/contracts';
import { canGoOn, ContinuedAnswer, continuedRequest } from '@tollgate/dialects';
import type { GenerationCall } from '@tollgate/messaging';
import type { AttemptFailure } from '../routing/attempt-plan';
import type { Route } from '../routing/route-table';
import type { CountedAttempt } from '../usage/usage-record';
import type { UpstreamAttempt } from './upstream-attempt';

/** The beginning of an answer, whose stream broke. */
interface BrokenBeginning extends CountedAttempt {
  /** As the caller is told of it, when there is no other place. */
  readonly failure: AttemptFailure;
}

/**
 * What attempts are asked: the caller's own request, and after its answer broke off the one that has it go
 * on. That happens at most once in a call.
 */
export class Continuation {
  /** Null: nothing broke, or it could not go on. */
  broken: BrokenBeginning | null = null;
  body: Uint8Array;
  maxOutputTokens: number | undefined;
  private readonly surface: SurfaceName;
  private readonly isWanted: boolean;
  private beginning: { answer: ContinuedAnswer; used: TokenUsage; why: string } | null = null;

  constructor({ request, body }: Pick<GenerationCall, 'request' | 'body'>) {
    this.body = body;
    this.maxOutputTokens = request.maxOutputTokens;
    this.isWanted = Boolean(request.goesOn) && request.stream && canGoOn(request.surface, body);
    this.surface = request.surface;
  }

  /** What writes the answer of an attempt at this route; null: the answer is not to go on elsewhere. */
  answerAt({ model, endpoint }: Route): ContinuedAnswer | null {
    if (!this.isWanted) return null;
    if (!this.beginning) return new ContinuedAnswer();
    const { answer, used, why } = this.beginning;
    return answer.next(used, `tollgate: ${why}; it goes on at ${endpoint.provider.id} with ${model.id}`);
  }

  /**
   * Takes an answer that broke off, to have it go on. False: it cannot. `count`: counts what the attempt
   * used.
   */
  take(route: Route, attempt: UpstreamAttempt, failure: AttemptFailure, count: () => CountedAttempt): boolean {
    const { continued } = attempt.order;
    const { fault, code, guardrail } = failure.error;
    const text = continued?.textSoFar ?? null;
    if (this.broken || !continued || text === null || fault === 'caller' || guardrail !== undefined) return false;
    const seen = attempt.evidence().reader?.outputTokensSeen() ?? 0;
    const body = continuedRequest(this.surface, this.body, text, seen);
    if (!body) return false;
    const counted = count();
    const why = `the stream of ${route.model.id} broke at ${route.endpoint.provider.id} (${code.replace(/[^\w.-]+/g, ' ')})`;
    this.body = body;
    if (this.maxOutputTokens !== undefined) this.maxOutputTokens = Math.max(1, this.maxOutputTokens - seen);
    this.broken = { failure, ...counted };
    this.beginning = { answer: continued, used: counted.tokens.usage, why };
    return true;
  }
}
