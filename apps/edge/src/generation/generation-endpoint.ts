import { Inject, Injectable } from '@nestjs/common';
import type { CatalogModel, GenerationRequest } from '@tollgate/contracts';
import { GatewayError, rateLimitError, uuidv7 } from '@tollgate/contracts';
import { parseRequestJson } from '@tollgate/dialects/surface';
import type { SurfaceRequest } from '@tollgate/dialects/surface';
import { GenerationClient, UsagePublisher } from '@tollgate/messaging';
import { Tracer } from '@tollgate/observability';
import type { Logger, Span } from '@tollgate/observability';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Admission } from '../admission/admission';
import type { Admitted } from '../admission/admission';
import { ConcurrencyGate } from '../admission/concurrency-gate';
import { noReservation, QuotaBook } from '../admission/quota-book';
import type { Reservation } from '../admission/quota-book';
import type { Caller } from '../callers/authenticator';
import { ModelCatalog } from '../catalog/model-catalog';
import { Clock } from '../clock';
import { ContentLogging } from '../content-log/content-logging';
import type { ContentRecord, Ending } from '../content-log/content-record';
import { internalError, toGatewayError } from '../errors/to-gateway-error';
import { RequestGuard } from '../guardrails/request-guard';
import { EdgeMetrics } from '../health/edge-metrics';
import type { RequestContext } from '../http/request-context';
import { ResponseHeaders } from '../http/response-headers';
import { MessagingLink } from '../messaging-link';
import { cachedUsageEvent } from '../response-cache/cached-usage-event';
import { givenAgain } from '../response-cache/kept-answer';
import type { KeptAnswer } from '../response-cache/kept-answer';
import { ResponseCaching } from '../response-cache/response-caching';
import type { CachePlace } from '../response-cache/response-caching';
import { LOGGER, Settings } from '../settings';
import type { Answer } from './answer';
import { isSimulatedAnswer } from './answer-headers';
import { BodyMemory } from './body-memory';
import { CallerResponse } from './caller-response';
import { edgeUsageEvent } from './edge-usage-event';
import { Generation } from './generation';
import { OpenGenerations } from './open-generations';
import type { Operation } from './operations';
import { PlainAnswer } from './plain-answer';
import { checkKind, checkNeeds } from './model-needs';
import { CallerLeft, readBody } from './read-body';
import { checkContentType, traceparentOf } from './request-checks';
import { endRequestSpan, requestSpan } from './request-span';
import { StreamAnswer } from './stream-answer';

/** One request on its way in. */
interface Incoming {
  readonly operation: Operation;
  /** Who asks, where that is known already; null: the request carries a key. */
  readonly caller: Caller | null;
  readonly message: IncomingMessage;
  readonly response: CallerResponse;
  readonly context: RequestContext;
  readonly span: Span;
}

/** A request that was read and found sane. */
interface Understood {
  readonly admitted: Admitted;
  readonly read: SurfaceRequest;
  readonly model: CatalogModel;
  /** What goes on: the caller's bytes, unless a guardrail took something out of them. */
  readonly body: Buffer;
  /** How many bytes of memory are to be freed for it. */
  readonly heldBytes: number;
  readonly providerHeaders: Record<string, string>;
  /** Null: the response cache has no part in it. */
  readonly cache: CachePlace | null;
  /** Null: nothing of it is logged. */
  readonly record: ContentRecord | null;
}

/** A key whose generations at once are used up may come again after so many seconds: when one of them ends, nobody can tell. */
const crowdedRetryS = 1;

/** Everything a generation endpoint does, for any operation of any surface: the hot path. It works on Node's own request and response, since each layer above costs more than all of this. */
@Injectable()
export class GenerationEndpoint {
  private readonly bodies: BodyMemory;

  constructor(
    private readonly admission: Admission,
    private readonly quotas: QuotaBook,
    private readonly gate: ConcurrencyGate,
    private readonly catalog: ModelCatalog,
    private readonly client: GenerationClient,
    private readonly link: MessagingLink,
    private readonly usage: UsagePublisher,
    private readonly caching: ResponseCaching,
    private readonly guard: RequestGuard,
    private readonly contentLog: ContentLogging,
    private readonly generations: OpenGenerations,
    private readonly headers: ResponseHeaders,
    private readonly metrics: EdgeMetrics,
    private readonly clock: Clock,
    private readonly settings: Settings,
    private readonly tracer: Tracer,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.bodies = new BodyMemory(settings.bodyMemory);
  }

  /** Answers one request, of the caller whose key it carries unless another says who that is. It never rejects. */
  async handle(
    operation: Operation,
    message: IncomingMessage,
    raw: ServerResponse,
    context: RequestContext,
    caller: Caller | null = null,
  ): Promise<void> {
    const span = requestSpan(this.tracer, operation, message.headers, context);
    const response = new CallerResponse(raw, context, this.headers, operation.path, (status) => {
      this.metrics.answered(operation.path, status, context.elapsedMs(), context.overheadMs());
      endRequestSpan(this.tracer, span, status);
    });
    try {
      await this.generate({ operation, caller, message, response, context, span });
    } catch (thrown) {
      if (!(thrown instanceof CallerLeft)) response.fail(this.toError(thrown, context));
    }
  }

  private async generate(incoming: Incoming): Promise<void> {
    const { caller, message, context } = incoming;
    const admitted = caller
      ? await this.admission.take(caller, context)
      : await this.admission.admit(message.headers, context);
    checkContentType(message.headers);
    const waitingSinceMs = this.clock.monotonicMs();
    // Without it nothing below can succeed, and each part would first wait for its own time to pass.
    if (!this.link.isUp) throw new GatewayError(503, 'The gateway is cut off inside; try again shortly.', 2);
    if (!this.usage.hasRoom)
      throw new GatewayError(503, 'The gateway cannot record usage at the moment; try again shortly.', 5);
    const body = await readBody(message, this.settings.bodyLimit, this.bodies);
    context.waited(waitingSinceMs);
    const { key } = admitted.caller;
    if (!this.gate.enter(key)) {
      this.bodies.free(body.length);
      this.admission.refusedBy('concurrency', admitted, context);
      throw rateLimitError(crowdedRetryS);
    }
    try {
      const understood = await this.understand(incoming, admitted, body);
      const kept = understood.cache?.kept;
      if (kept) return this.giveAgain(incoming, understood, kept);
      const reservation = incoming.operation.countTokens ? noReservation : await this.reserve(understood, context);
      this.admission.tell(admitted, context);
      if (incoming.response.hasLeft) {
        reservation.settle(0);
        throw new CallerLeft();
      }
      this.dispatch(incoming, understood, reservation);
    } catch (error) {
      this.gate.leave(key);
      this.bodies.free(body.length);
      throw error;
    }
  }

  private async understand(
    { operation, message, context }: Incoming,
    admitted: Admitted,
    received: Buffer,
  ): Promise<Understood> {
    const providerHeaders = operation.surface.providerHeaders(message.headers);
    const sent = parseRequestJson(received);
    const read = operation.readRequest(sent, received.length);
    const model = this.catalog.resolve(read.model, admitted.caller.key);
    context.simulated = this.catalog.isSimulated(model);
    checkKind(model, operation.surface);
    checkNeeds(model, read.needs);
    const { surface, countTokens } = operation;
    const { key } = admitted.caller;
    const asked = { requestId: context.requestId, keyId: key.id, model: model.id };
    const checked = this.guard.check(asked, sent, received.length);
    const parsed: unknown = checked instanceof Promise ? ((await checked) as unknown) : checked;
    const body = parsed === sent ? received : Buffer.from(JSON.stringify(parsed));
    const rules = () => this.guard.answerRules(asked);
    const question = {
      key,
      surface,
      model: model.id,
      headers: providerHeaders,
      rules,
      body,
      parsed,
      stream: read.stream,
    };
    const cache = countTokens ? null : this.caching.placeOf(message.headers, question, context);
    const record = countTokens ? null : this.contentLog.recordFor(message.headers, key, parsed);
    return { admitted, read, model, body, heldBytes: received.length, providerHeaders, cache, record };
  }

  /** Sets an upper bound of the request's tokens aside. Without a limit of the caller's, its output is bounded by an assumption. */
  private async reserve({ admitted, read, model }: Understood, context: RequestContext): Promise<Reservation> {
    const largest = model.maxOutputTokens ?? Infinity;
    const output = Math.min(read.maxOutputTokens ?? this.settings.defaultOutputReserve, largest);
    try {
      return await this.quotas.reserve(admitted.caller.key, read.inputTokensEstimate + output);
    } catch (error) {
      if (error instanceof GatewayError && error.status === 429) this.admission.refusedBy('tokens', admitted, context);
      throw error;
    }
  }

  /** Answers from the cache: it counts as a request, reserves and uses no tokens, and leaves one usage event. */
  private giveAgain(incoming: Incoming, understood: Understood, kept: KeptAnswer): void {
    const { response, context } = incoming;
    if (response.hasLeft) throw new CallerLeft();
    const answer = this.answerTo(incoming, understood, () => ({}));
    context.dispatched();
    context.simulated = isSimulatedAnswer(kept.head);
    answer.head(kept.head);
    answer.data(givenAgain(kept));
    answer.end();
    const request = this.toRequest(incoming, understood, noReservation);
    this.over(understood, request, { state: 'completed', status: kept.head.status, cached: true });
    this.usage.publish(cachedUsageEvent(request, kept, this.clock.nowMs()));
    this.gate.leave(understood.admitted.caller.key);
    this.bodies.free(understood.heldBytes);
  }

  /** The answer to a request that goes on now, gathered where it is logged. */
  private answerTo(
    { response, operation: { surface } }: Incoming,
    { read, record }: Understood,
    headers: () => Record<string, string>,
  ): Answer {
    const answer = read.stream
      ? new StreamAnswer(response, surface, this.settings.keepAliveMs, this.clock, headers)
      : new PlainAnswer(response);
    if (!record) return answer;
    this.contentLog.began(record);
    return record.gather(answer, surface, read.stream);
  }

  private over({ record }: Understood, request: GenerationRequest, ending: Omit<Ending, 'endedAt'>): void {
    if (record) this.contentLog.ended(record, request, ending);
  }

  private dispatch(incoming: Incoming, understood: Understood, reservation: Reservation): void {
    const { response, context } = incoming;
    const { surface } = incoming.operation;
    const { read, body } = understood;
    const request = this.toRequest(incoming, understood, reservation);
    const answer = this.answerTo(incoming, understood, () => generation.attemptHeaders());
    const generation: Generation = new Generation({
      digest: understood.admitted.caller.digest,
      request,
      answer: understood.cache?.record(answer) ?? answer,
      response,
      reservation,
      transcript: read.stream ? surface.transcript() : null,
      clock: this.clock,
      span: incoming.span,
      onHead: (head) => (context.simulated = isSimulatedAnswer(head)),
      countInputTokens: () => surface.countInputTokens(parseRequestJson(body)),
      report: (seen) => {
        this.metrics.usageReported();
        this.usage.publish(edgeUsageEvent(seen));
      },
      onSettled: (outcome) => {
        if (!request.countTokens) this.metrics.generationEnded(request, outcome);
        this.over(understood, request, { state: outcome.state, status: response.status ?? 499, cached: false });
        this.generations.remove(generation);
        this.gate.leave(understood.admitted.caller.key);
        this.bodies.free(understood.heldBytes);
      },
    });
    this.generations.add(generation);
    context.dispatched();
    generation.open(this.client, body);
  }

  private toRequest(incoming: Incoming, understood: Understood, reservation: Reservation): GenerationRequest {
    const { operation, message, context, span } = incoming;
    const { read, model } = understood;
    const { key } = understood.admitted.caller;
    return {
      requestId: context.requestId,
      eventId: uuidv7(),
      keyId: key.id,
      accountId: key.accountId,
      surface: operation.surface.name,
      requestedModel: read.model,
      model: model.id,
      stream: read.stream,
      includeUsage: read.includeUsage,
      startedAt: context.startedAt,
      deadlineAt: context.startedAt + this.settings.generationTimeoutMs,
      lease: reservation.leaseId,
      traceparent: span.traceparent ?? traceparentOf(message.headers),
      headers: understood.providerHeaders,
      ...(operation.countTokens && { countTokens: true }),
    };
  }

  private toError(thrown: unknown, context: RequestContext): GatewayError {
    const error = toGatewayError(thrown);
    if (error) return error;
    this.logger.error({ err: thrown, requestId: context.requestId }, 'a generation request failed');
    return internalError();
  }
}
