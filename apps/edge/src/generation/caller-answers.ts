import { Injectable } from '@nestjs/common';
import type { GenerationRequest } from '@tollgate/contracts';
import { ConcurrencyGate } from '../admission/concurrency-gate';
import { Clock } from '../clock';
import { ContentLogging } from '../content-log/content-logging';
import type { Ending } from '../content-log/content-record';
import { TurnKeeper } from '../responses/turn-keeper';
import { Settings } from '../settings';
import type { Answer } from './answer';
import { PlainAnswer, StreamAnswer } from './answer';
import type { Incoming, Served } from './served-request';

/** What callers are answered with, and what is over with an answer. */
@Injectable()
export class CallerAnswers {
  constructor(
    private readonly turns: TurnKeeper,
    private readonly contentLog: ContentLogging,
    private readonly gate: ConcurrencyGate,
    private readonly settings: Settings,
    private readonly clock: Clock,
  ) {}

  /**
   * The answer to a request that goes on now, kept where it can be gone on from, gathered where it is logged.
   * `headers`: what else is known when it begins.
   */
  begin(
    { response, context, operation: { surface }, work }: Incoming,
    { sent: { read }, record, tellsCost, turn, held }: Served,
    headers: () => Record<string, string>,
  ): Answer {
    const told = read.stream
      ? new StreamAnswer(response, surface, this.settings.keepAliveMs, this.clock, headers, tellsCost)
      : new PlainAnswer(response, tellsCost);
    const stream = read.stream ? surface : null;
    const onOver = (run: () => void) => held.onRelease(run);
    const kept = turn && !work ? this.turns.keeping(turn, { answer: told, response, context, stream, onOver }) : told;
    const answer = work ? work.keeping(kept) : kept;
    if (!record) return answer;
    this.contentLog.began(record);
    return record.gather(answer, surface, read.stream);
  }

  /** The request is answered: what is logged of it is whole. */
  ended({ record }: Served, request: GenerationRequest, ending: Omit<Ending, 'endedAt'>): void {
    if (record) this.contentLog.ended(record, request, ending);
  }

  /** Gives back the request's place among those of its key, and the memory of its body. */
  letGo({ admitted, held }: Pick<Served, 'admitted' | 'held'>): void {
    this.gate.leave(admitted.caller.key);
    held.release();
  }
}
