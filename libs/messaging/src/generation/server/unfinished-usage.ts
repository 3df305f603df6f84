import { notCharged, usageEventOf, noUsage } from '@tollgate/contracts';
import type { UsageEvent } from '@tollgate/contracts';
import type { GenerationAttempt, GenerationRequest } from '@tollgate/contracts/inference';
import { EventLoopTurns } from '../../memory/event-loop-turns';
import type { UsageNotes } from '../../usage/journal/usage-journal';

/** The input of larger requests is not counted while they run: it would hold others up for more than 3 ms. */
const largestCounted = 64 * 1024;
/**
 * So much of what is counted of all calls is done in a turn of the event loop, bytes: about a millisecond of
 * work. Those of a hundred that began together were counted in one.
 */
const turnBytes = 16 * 1024;
const countingTurns = new EventLoopTurns(turnBytes);

/**
 * What would have to be counted if this process and edge died now, noted in the journal: the request, its
 * attempts, and, once it lasts, its input tokens. What had been answered by then is not known to anybody: it
 * costs the caller nothing.
 */
export class UnfinishedUsage {
  private readonly attempts: (GenerationAttempt & { beganAt: number })[] = [];
  private countInput: (() => number) | null = null;
  private waitsForTurn = false;
  private inputTokens = 0;

  constructor(
    private readonly journal: UsageNotes | null,
    private readonly request: GenerationRequest,
    private readonly bodyBytes: number,
  ) {}

  began(attempt: GenerationAttempt, countInput: () => number): void {
    if (!this.journal) return;
    const { number, model, provider, deployment } = attempt;
    this.attempts.push({ number, model, provider, deployment, beganAt: Date.now() });
    this.countInput = this.bodyBytes > largestCounted ? null : countInput;
    this.note();
  }

  /**
   * The call takes its time: counts its input, once for an attempt, in a turn of the event loop that has room
   * for that. A tokenizer that fails must not cost the call.
   */
  lasts(): void {
    if (!this.countInput || this.waitsForTurn) return;
    this.waitsForTurn = true;
    countingTurns.soon(() => {
      this.waitsForTurn = false;
      this.count();
    }, this.bodyBytes);
  }

  /** Nothing of it is to be counted by this process. */
  drop(): void {
    this.countInput = null;
    if (this.attempts.length > 0) this.journal?.forget(this.request.eventId);
  }

  /** Its event is known. */
  close(): void {
    this.countInput = null;
  }

  /** Nothing, where the call ended meanwhile. */
  private count(): void {
    const { countInput } = this;
    if (!countInput) return;
    this.countInput = null;
    try {
      this.inputTokens = countInput();
      this.note();
    } catch {
      // The end of the call counts again, and says what is wrong.
    }
  }

  private note(): void {
    const last = this.attempts.at(-1);
    if (last) this.journal?.note(this.request.eventId, JSON.stringify(this.event(last)));
  }

  private event(last: GenerationAttempt): UsageEvent {
    const { request } = this;
    const endedAt = Date.now();
    const outcome = notCharged({
      model: last.model,
      state: 'failed',
      status: 502,
      estimated: true,
      usage: { ...noUsage, input: this.inputTokens, ...(last.factors && { served: last.factors }) },
      attempts: this.attempts.map(({ deployment, provider, beganAt }) => ({
        deployment,
        provider,
        status: null,
        error: 'instance_lost',
        latencyMs: Math.max(0, endedAt - beganAt),
      })),
      firstTokenAt: null,
      endedAt,
      lease: request.lease,
      reportedBy: 'inference',
    });
    return usageEventOf(request, outcome);
  }
}
