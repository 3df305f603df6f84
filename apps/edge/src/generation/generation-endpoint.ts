import { Inject, Injectable } from '@nestjs/common';
import { GatewayError, rateLimitError } from '@tollgate/contracts';
import { generatesNothing } from '@tollgate/contracts/inference';
import { UsagePublisher } from '@tollgate/messaging';
import { Tracer } from '@tollgate/observability';
import type { Logger } from '@tollgate/observability';
import { LOGGER } from '@tollgate/service';
import { Admission, type Admitted, ConcurrencyGate } from '../admission/admission';
import { errorToTell } from '../errors/to-gateway-error';
import { EdgeMetrics } from '../edge-metrics';
import type { RequestContext } from '../http/request-context';
import { ResponseHeaders } from '../http/request-context';
import { hasLargeBody, takeUnread } from '../http/unread-bodies';
import { MessagingLink } from '../messaging-link';
import { Refusals } from '../errors/refusals';
import { CallerLeft } from './caller-left';
import { CallerResponse } from './caller-response';
import { Dispatcher } from './dispatcher';
import type { RawResponse, RequestMessage } from './inner-exchange';
import type { Operation } from './operations';
import { OwnAnswers } from './own-answers';
import type { HeldBody } from './held-body';
import { checkContentType } from './body-encoding';
import { RequestReader } from './request-reader';
import { Reservations } from './reservations';
import { endRequestSpan, requestSpan } from './request-span';
import { servedWith } from './served-request';
import type { Incoming, Origin } from './served-request';

/**
 * A key whose generations at once are used up may come again after so many seconds: when one of them ends,
 * nobody can tell.
 */
const crowdedRetryS = 1;

/**
 * Everything a generation endpoint does, for any operation of any surface: the hot path, on one page. It
 * works on Node's own request and response, since each layer above costs more than all of this. A step that
 * waits only for some requests is a promise only for those: each turn of the event loop that a request waits
 * costs it some microseconds.
 */
@Injectable()
export class GenerationEndpoint {
  constructor(
    private readonly admission: Admission,
    private readonly link: MessagingLink,
    private readonly usage: UsagePublisher,
    private readonly reader: RequestReader,
    private readonly gate: ConcurrencyGate,
    private readonly reservations: Reservations,
    private readonly own: OwnAnswers,
    private readonly dispatcher: Dispatcher,
    private readonly headers: ResponseHeaders,
    private readonly refusals: Refusals,
    private readonly metrics: EdgeMetrics,
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
      const error = errorToTell(thrown, this.logger, context.requestId, 'a generation request failed');
      this.refusals.note(error, operation.path, context);
      response.fail(error);
    }
  }

  /** The steps of a request. What a step throws is told to the caller. */
  private async generate(incoming: Incoming): Promise<void> {
    const { message, context } = incoming;
    // 1. Admit: whose key it is, and whether it may ask now.
    const admitting = this.admit(incoming);
    const admitted = admitting instanceof Promise ? await admitting : admitting;
    checkContentType(message.headers, true);
    // Without it nothing below can succeed, and each part would first wait for its own time to pass.
    if (!this.link.isUp && !(await this.link.isUpSoon()))
      throw new GatewayError(503, 'The gateway is cut off inside; try again shortly.', 2);
    if (!this.usage.hasRoom)
      throw new GatewayError(503, 'The gateway cannot record usage at the moment; try again shortly.', 5);
    // 2. Read: its body, as far as there is memory, and a place among those of its key.
    const { key } = admitted.caller;
    const held = await context.waitingFor(() => this.reader.receive(message, key));
    if (!this.gate.enter(key)) {
      held.release();
      this.admission.refusedBy('concurrency', admitted, context);
      throw rateLimitError(crowdedRetryS, { limit: 'concurrency' });
    }
    try {
      await this.serve(incoming, admitted, held);
    } catch (error) {
      this.gate.leave(key);
      held.release();
      throw error;
    }
  }

  /** A request that is here, until inference has it or it is answered. */
  private async serve(incoming: Incoming, admitted: Admitted, held: HeldBody): Promise<void> {
    const { operation, message, response, context, work, near } = incoming;
    const { key } = admitted.caller;
    // 3. Understand: what it asks for, what guardrails leave of it, and what is kept for it.
    const resumed = work?.parts.turn ?? null;
    const received = { operation, headers: message.headers, key, bytes: held.bytes, resumed, near };
    // What begins with a spread and goes on costs two microseconds, and again what is spread of it.
    const understood = Object.assign(await this.reader.understand(received, held, context), {
      ...{ admitted, held, ownKeys: null },
    });
    // 4. Answer it here, where no provider is needed.
    if (understood.sent.read.state?.warmsUp) return this.own.warmUp(incoming, understood);
    const kept = understood.cache?.kept;
    if (kept) return this.own.giveAgain(incoming, understood, kept);
    // 5. Reserve: the most that it may use and cost, and with whose keys it goes.
    const granting = generatesNothing(operation.kind)
      ? this.reservations.nothingFor(understood)
      : this.reservations.reserve(understood, context);
    const granted = granting instanceof Promise ? await granting : granting;
    const served = servedWith(understood, granted);
    this.admission.tell(admitted, context, served.model.id);
    let going = incoming;
    try {
      if (response.hasLeft) throw new CallerLeft();
      const { turn } = served;
      if (turn?.isBackground && !work) going = await this.own.waiting(incoming, served, turn);
    } catch (error) {
      granted.reservation.settle(0, 'none');
      throw error;
    }
    // 6. Dispatch: inference answers from here on, and the dispatcher sees it to its end.
    this.dispatcher.dispatch(going, served, granted.reservation);
  }

  private admit({ caller, message, context, work }: Incoming): Admitted | Promise<Admitted> {
    if (!caller) return this.admission.admit(message.headers, context);
    return work ? this.admission.again(caller) : this.admission.take(caller, context);
  }
}
