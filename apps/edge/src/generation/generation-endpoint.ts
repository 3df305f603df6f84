import { Inject, Injectable } from '@nestjs/common';
import type { GenerationRequest } from '@tollgate/contracts';
import { GatewayError, generatesNothing, rateLimitError } from '@tollgate/contracts';
import { warmedEvents } from '@tollgate/dialects/surface';
import { GenerationClient, UsagePublisher } from '@tollgate/messaging';
import { Tracer } from '@tollgate/observability';
import type { Logger } from '@tollgate/observability';
import { LOGGER } from '@tollgate/service';
import { Admission } from '../admission/admission';
import type { Admitted } from '../admission/admission';
import { ConcurrencyGate } from '../admission/concurrency-gate';
import { nothingReserved } from '../admission/reserved';
import type { Reserved } from '../admission/reserved';
import { ModelCatalog } from '../catalog/model-catalog';
import { Clock } from '../clock';
import { ContentLogging } from '../content-log/content-logging';
import type { Ending } from '../content-log/content-record';
import { internalError, toGatewayError } from '../errors/to-gateway-error';
import { EdgeMetrics } from '../health/edge-metrics';
import type { RequestContext } from '../http/request-context';
import { ResponseHeaders } from '../http/request-context';
import { hasLargeBody, takeUnread } from '../http/unread-bodies';
import { MessagingLink } from '../messaging-link';
import { cachedUsageEvent } from '../response-cache/cached-usage-event';
import { givenAgain } from '../response-cache/kept-answer';
import type { KeptAnswer } from '../response-cache/kept-answer';
import { BackgroundWorks } from '../responses/background/background-works';
import { EventStreams } from '../responses/background/event-streams';
import { newResponseId } from '../responses/turn';
import type { TurnToKeep } from '../responses/stateful-requests';
import { TurnKeeper } from '../responses/turn-keeper';
import { Refusals } from '../refusals/refusals';
import { Settings } from '../settings';
import type { Answer } from './answer';
import { isSimulatedAnswer, PlainAnswer, StreamAnswer } from './answer';
import { CallerLeft, whileThere } from './caller-left';
import { CallerResponse, streamHeaders } from './caller-response';
import { edgeUsageEvent } from './edge-usage-event';
import { Generation } from './generation';
import type { FallBack } from './generation';
import type { RawResponse, RequestMessage } from './inner-exchange';
import { fewerTokens } from './media-in-words';
import { OpenGenerations } from './open-generations';
import type { Operation } from './operations';
import { eventIdOfFallBack, mayFallBack, tellOwnKeyRefusal, warnOfFallBack } from './own-keys';
import { checkContentType } from './request-checks';
import { RequestReader } from './request-reader';
import { Reservations } from './reservations';
import { endRequestSpan, requestSpan } from './request-span';
import { toGenerationRequest } from './served-request';
import type { Incoming, Origin, Served } from './served-request';
import { CostTeller } from './told-cost';

/**
 * A key whose generations at once are used up may come again after so many seconds: when one of them ends,
 * nobody can tell.
 */
const crowdedRetryS = 1;

/**
 * Everything a generation endpoint does, for any operation of any surface: the hot path. It works on Node's
 * own request and response, since each layer above costs more than all of this.
 */
@Injectable()
export class GenerationEndpoint {
  constructor(
    private readonly admission: Admission,
    private readonly catalog: ModelCatalog,
    private readonly reservations: Reservations,
    private readonly gate: ConcurrencyGate,
    private readonly client: GenerationClient,
    private readonly reader: RequestReader,
    private readonly link: MessagingLink,
    private readonly usage: UsagePublisher,
    private readonly costs: CostTeller,
    private readonly contentLog: ContentLogging,
    private readonly turns: TurnKeeper,
    private readonly works: BackgroundWorks,
    private readonly streams: EventStreams,
    private readonly generations: OpenGenerations,
    private readonly headers: ResponseHeaders,
    private readonly metrics: EdgeMetrics,
    private readonly refusals: Refusals,
    private readonly clock: Clock,
    private readonly settings: Settings,
    private readonly tracer: Tracer,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Answers one request. It never rejects. */
  async handle(
    operation: Operation,
    message: RequestMessage,
    raw: RawResponse,
    context: RequestContext,
    { caller = null, work = null, near = null }: Origin = {},
  ): Promise<void> {
    const span = requestSpan(this.tracer, operation, message.headers, context);
    context.isCountedApart = true;
    const response = new CallerResponse(raw, context, this.headers, operation.path, (status) => {
      this.metrics.answered(operation.path, status, context.elapsedMs(), context.overheadMs());
      endRequestSpan(this.tracer, span, status);
    });
    try {
      await this.generate({ operation, caller, message, response, context, span, work, near });
    } catch (thrown) {
      if (thrown instanceof CallerLeft) return;
      // Before the answer ends, as Node would take the rest of the body then, all at once.
      if (hasLargeBody(message) && message.listenerCount('data') === 0) takeUnread(message);
      const error = this.toError(thrown, context);
      this.refusals.note(error, operation.path, context);
      response.fail(error);
    }
  }

  private async generate(incoming: Incoming): Promise<void> {
    const { message, context, operation } = incoming;
    const admitting = this.admit(incoming);
    const admitted = admitting instanceof Promise ? await admitting : admitting;
    checkContentType(message.headers, true);
    // Without it nothing below can succeed, and each part would first wait for its own time to pass.
    if (!this.link.isUp && !(await this.link.isUpSoon()))
      throw new GatewayError(503, 'The gateway is cut off inside; try again shortly.', 2);
    if (!this.usage.hasRoom)
      throw new GatewayError(503, 'The gateway cannot record usage at the moment; try again shortly.', 5);
    const { key } = admitted.caller;
    const waitingSinceMs = this.clock.monotonicMs();
    const held = await this.reader.receive(message, key);
    context.waited(waitingSinceMs);
    if (!this.gate.enter(key)) {
      held.release();
      this.admission.refusedBy('concurrency', admitted, context);
      throw rateLimitError(crowdedRetryS, { limit: 'concurrency' });
    }
    try {
      const resumed = incoming.work?.parts.turn ?? null;
      const received = { operation, headers: message.headers, key, bytes: held.bytes, resumed, near: incoming.near };
      // What begins with a spread and goes on costs two microseconds, and again what is spread of it.
      const understood = Object.assign(await this.reader.understand(received, held, context), {
        ...{ admitted, held, ownKeys: null },
      });
      if (understood.sent.read.state?.warmsUp) return this.warmUp(incoming, understood);
      const kept = understood.cache?.kept;
      if (kept) return this.giveAgain(incoming, understood, kept);
      const granting = generatesNothing(operation.kind)
        ? this.reservations.nothingFor(understood)
        : this.reservations.reserve(understood, context);
      const granted = granting instanceof Promise ? await granting : granting;
      const { reservation } = granted;
      const served = servedBy(understood, granted);
      this.admission.tell(admitted, context, served.model.id);
      if (incoming.response.hasLeft) {
        reservation.settle(0, 'none');
        throw new CallerLeft();
      }
      const { turn } = served;
      const isBegun = turn?.isBackground && !incoming.work;
      const going = isBegun ? await this.begun(incoming, served, turn, reservation) : incoming;
      this.dispatch(going, served, reservation);
    } catch (error) {
      this.gate.leave(key);
      held.release();
      throw error;
    }
  }

  private admit({ caller, message, context, work }: Incoming): Admitted | Promise<Admitted> {
    if (!caller) return this.admission.admit(message.headers, context);
    return work ? this.admission.again(caller) : this.admission.take(caller, context);
  }

  /** A request that nobody waits for is answered now, and goes on without its caller. */
  private async begun(
    incoming: Incoming,
    { body, model, admitted, sent }: Served,
    turn: TurnToKeep,
    reservation: Reserved,
  ): Promise<Incoming> {
    const { message, response, context, operation } = incoming;
    const conversationId = sent.read.state?.conversationId ?? null;
    try {
      // Made again, it has the same request id.
      const headers = { ...message.headers, 'x-request-id': context.requestId };
      const { caller } = admitted;
      const isStream = sent.read.stream;
      const work = await this.works.begin({ caller, turn, conversationId, body, model: model.id, isStream, headers });
      if (isStream) response.pour(this.streams.begun(caller, work.id, (wait) => whileThere(message, wait)));
      else response.tell(JSON.stringify(work.parts.waiting));
      const inner = new CallerResponse(work.raw, context, this.headers, operation.path, () => undefined);
      return { ...incoming, response: inner, work };
    } catch (error) {
      reservation.settle(0, 'none');
      throw error;
    }
  }

  /** Answers a turn that only prepares the next one: it counts as a request, and no provider hears of it. */
  private warmUp({ near, response, context }: Incoming, { body, model, turn, admitted, held }: Served): void {
    if (response.hasLeft) throw new CallerLeft();
    const id = newResponseId();
    const events = warmedEvents(body, { id, model: model.id, createdAtS: Math.floor(context.startedAt / 1_000) });
    this.admission.tell(admitted, context);
    context.dispatched();
    response.begin(200, streamHeaders);
    response.end(events);
    if (turn) near?.keep(id, turn.input);
    this.gate.leave(admitted.caller.key);
    held.release();
  }

  /**
   * Answers from the cache: it counts as a request, reserves and uses no tokens, and leaves one usage event.
   */
  private giveAgain(incoming: Incoming, served: Served, kept: KeptAnswer): void {
    const { response, context } = incoming;
    if (response.hasLeft) throw new CallerLeft();
    const answer = this.answerTo(incoming, served, () => ({}));
    context.dispatched();
    context.simulated = isSimulatedAnswer(kept.head);
    answer.head(kept.head);
    answer.data(givenAgain(kept));
    void answer.end(served.tellsCost ? { amount: '0', isUnconfirmed: false } : undefined);
    const request = toGenerationRequest(incoming, served, nothingReserved, this.settings.generationTimeoutMs);
    this.over(served, request, { state: 'completed', status: kept.head.status, cached: true });
    this.usage.publish(cachedUsageEvent(request, kept, this.clock.nowMs()));
    this.gate.leave(served.admitted.caller.key);
    served.held.release();
  }

  /**
   * The answer to a request that goes on now, kept where it can be gone on from, gathered where it is logged.
   */
  private answerTo(
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

  private over({ record }: Served, request: GenerationRequest, ending: Omit<Ending, 'endedAt'>): void {
    if (record) this.contentLog.ended(record, request, ending);
  }

  private dispatch(incoming: Incoming, served: Served, reservation: Reserved): void {
    const { response, context } = incoming;
    const { surface } = incoming.operation;
    const { body, sent } = served;
    const { read } = sent;
    const request = toGenerationRequest(incoming, served, reservation, this.settings.generationTimeoutMs);
    const answer = this.answerTo(incoming, served, () => generation.attemptHeaders());
    const recorded = served.cache?.record(answer) ?? answer;
    const generation: Generation = new Generation({
      digest: served.admitted.caller.digest,
      request,
      answer: recorded,
      response,
      reservation,
      transcript: read.stream ? surface.transcript() : null,
      clock: this.clock,
      span: incoming.span,
      onHead: (head) => (context.simulated = isSimulatedAnswer(head)),
      ...(this.mayFallBack(served) && { fallBack: this.fallBack(incoming, served, { request, answer, recorded }) }),
      ...(served.tellsCost && { toldCost: (event) => this.costs.told(event) }),
      countInputTokens: () => this.countedInput(served),
      report: (seen) => {
        this.metrics.usageReported();
        this.usage.publish(edgeUsageEvent(seen));
      },
      onUnanswered: (error) => this.refusals.note(error, incoming.operation.path, context),
      onSettled: (outcome, last) => {
        if (!generatesNothing(request.kind)) this.metrics.generationEnded(request, outcome);
        this.over(served, last, { state: outcome.state, status: response.status ?? 499, cached: false });
        this.generations.remove(generation);
        this.gate.leave(served.admitted.caller.key);
        served.held.release();
      },
    });
    incoming.work?.onLost(() => generation.cancel('edge_lost'));
    this.generations.add(generation);
    context.dispatched();
    generation.open(this.client, body);
  }

  private countedInput({ sent, body, model, ownKeys }: Served): number | Promise<number> {
    const fewer = fewerTokens(sent.read, this.catalog.placesOf(model, ownKeys ?? undefined));
    const counted = sent.countInputTokens(body);
    // What only a provider reads is counted by its JSON, with what stands in it.
    const left = (tokens: number) => Math.max(tokens - fewer, 0);
    return counted instanceof Promise ? counted.then(left) : left(counted);
  }

  private mayFallBack({ admitted, ownKeys, model }: Served): boolean {
    return mayFallBack(admitted.caller.key, ownKeys, model) && this.catalog.isForAll(model);
  }

  /**
   * How a request goes on whose own keys are refused: as one that came without any. `recorded`: its answer
   * where that is cached.
   */
  private fallBack(
    incoming: Incoming,
    served: Served,
    first: { request: GenerationRequest; answer: Answer; recorded: Answer },
  ): FallBack {
    const { context } = incoming;
    const asked = { ...served, ownKeys: null };
    return async (failure) => {
      tellOwnKeyRefusal(failure, context);
      try {
        const granted = generatesNothing(first.request.kind)
          ? { ...asked, reservation: nothingReserved }
          : await this.reservations.withoutOwnKeys(asked, context);
        const { reservation } = granted;
        const again = servedBy(asked, granted);
        this.admission.tell(asked.admitted, context, again.model.id);
        warnOfFallBack(failure, context);
        const made = toGenerationRequest(incoming, again, reservation, this.settings.generationTimeoutMs);
        const request = { ...made, eventId: eventIdOfFallBack(first.request.eventId) };
        return { request, reservation, answer: again.cache ? first.recorded : first.answer };
      } catch (thrown) {
        return this.toError(thrown, context);
      }
    };
  }

  private toError(thrown: unknown, context: RequestContext): GatewayError {
    const error = toGatewayError(thrown);
    if (error) return error;
    this.logger.error({ err: thrown, requestId: context.requestId }, 'a generation request failed');
    return internalError();
  }
}

/** A request as it goes on. What another model answers is not kept under the name of the one asked for. */
function servedBy(
  understood: Served,
  { goesOn, model, ownKeys }: Pick<Served, 'goesOn' | 'model' | 'ownKeys'>,
): Served {
  if (model !== understood.model) return { ...understood, goesOn, model, ownKeys, cache: null };
  const isAsUnderstood = goesOn === understood.goesOn && !ownKeys;
  return isAsUnderstood ? understood : { ...understood, goesOn, ownKeys };
}
