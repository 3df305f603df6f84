import { Injectable } from '@nestjs/common';
import { UsagePublisher } from '@tollgate/messaging';
import { warmedEvents } from '@tollgate/dialects/surface';
import { Admission, nothingReserved } from '../admission/admission';
import { Clock } from '../clock';
import { ResponseHeaders } from '../http/request-context';
import { cachedUsageEvent } from './edge-usage-event';
import { givenAgain } from '../response-cache/kept-answer';
import type { KeptAnswer } from '../response-cache/kept-answer';
import { BackgroundWorks } from '../responses/background/background-works';
import { EventStreams } from '../responses/background/event-streams';
import type { TurnToKeep } from '../responses/stateful-requests';
import { newResponseId } from '../responses/turn';
import { Settings } from '../settings';
import { isSimulatedAnswer, CallerAnswers } from './answer';
import { CallerLeft, whileThere } from './caller-left';
import { CallerResponse, streamHeaders } from './caller-response';
import { toGenerationRequest } from './served-request';
import type { Incoming, Served } from './served-request';

/** What edge answers by itself, while or before anybody else does. */
@Injectable()
export class OwnAnswers {
  constructor(
    private readonly answers: CallerAnswers,
    private readonly admission: Admission,
    private readonly usage: UsagePublisher,
    private readonly works: BackgroundWorks,
    private readonly streams: EventStreams,
    private readonly headers: ResponseHeaders,
    private readonly settings: Settings,
    private readonly clock: Clock,
  ) {}

  /** Answers a turn that only prepares the next one: it counts as a request, and no provider hears of it. */
  warmUp({ near, response, context }: Incoming, served: Served): void {
    if (response.hasLeft) throw new CallerLeft();
    const { body, model, turn, admitted } = served;
    const id = newResponseId();
    const events = warmedEvents(body, { id, model: model.id, createdAtS: Math.floor(context.startedAt / 1_000) });
    this.admission.tell(admitted, context);
    context.dispatched();
    response.begin(200, streamHeaders);
    response.end(events);
    if (turn) near?.keep(id, turn.input);
    this.answers.letGo(served);
  }

  /**
   * Answers from the cache: it counts as a request, reserves and uses no tokens, and leaves one usage event.
   */
  giveAgain(incoming: Incoming, served: Served, kept: KeptAnswer): void {
    const { response, context } = incoming;
    if (response.hasLeft) throw new CallerLeft();
    const answer = this.answers.begin(incoming, served, () => ({}));
    context.dispatched();
    context.simulated = isSimulatedAnswer(kept.head);
    answer.head(kept.head);
    answer.data(givenAgain(kept));
    void answer.end(served.tellsCost ? { amount: '0', isUnconfirmed: false } : undefined);
    const request = toGenerationRequest(incoming, served, nothingReserved, this.settings.generationTimeoutMs);
    this.answers.ended(served, request, { state: 'completed', status: kept.head.status, cached: true });
    this.usage.publish(cachedUsageEvent(request, kept, this.clock.nowMs()));
    this.answers.letGo(served);
  }

  /**
   * Answers a request in the background, which nobody waits for, that it is under way.
   * @returns the request as it goes on without its caller.
   * @throws what `BackgroundWorks.begin` throws.
   */
  async waiting(incoming: Incoming, { body, model, admitted, sent }: Served, turn: TurnToKeep): Promise<Incoming> {
    const { message, response, context, operation } = incoming;
    const conversationId = sent.read.state?.conversationId ?? null;
    // Made again, it has the same request id.
    const headers = { ...message.headers, 'x-request-id': context.requestId };
    const { caller } = admitted;
    const isStream = sent.read.stream;
    const work = await this.works.begin({ caller, turn, conversationId, body, model: model.id, isStream, headers });
    if (isStream) response.pour(this.streams.begun(caller, work.id, (wait) => whileThere(message, wait)));
    else response.tell(JSON.stringify(work.parts.waiting));
    const inner = new CallerResponse(work.raw, context, this.headers, operation.path, () => undefined);
    return { ...incoming, response: inner, work };
  }
}
