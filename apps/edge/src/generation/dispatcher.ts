import { Injectable, Inject } from '@nestjs/common';
import { generatesNothing, type GenerationRequest } from '@tollgate/contracts/inference';
import { GenerationClient, UsagePublisher } from '@tollgate/messaging';
import type { Logger } from '@tollgate/observability';
import { LOGGER } from '@tollgate/service';
import { type Reserved, Admission, nothingReserved } from '../admission/admission';
import { ModelCatalog } from '../catalog/model-catalog';
import { Clock } from '../clock';
import { EdgeMetrics } from '../edge-metrics';
import { Refusals } from '../errors/refusals';
import { Settings } from '../settings';
import { isSimulatedAnswer, CallerAnswers, type Answer } from './answer';
import { edgeUsageEvent } from './edge-usage-event';
import { Generation, type FallBack } from './generation';
import { fewerTokens } from './media-in-words';
import { OpenGenerations } from '../callers/open-by-key';
import { toGenerationRequest, type Incoming, type Served, servedWith } from './served-request';
import { CostTeller } from './told-cost';
import { errorToTell } from '../errors/to-gateway-error';
import { eventIdOfFallBack, mayFallBack, tellOwnKeyRefusal, warnOfFallBack } from './own-keys';
import { Reservations } from './reservations';

/** What went out with keys of its account. `recorded`: its answer where that is cached. */
interface FirstDispatch {
  readonly request: GenerationRequest;
  readonly answer: Answer;
  readonly recorded: Answer;
}

/** How requests go on whose own keys are refused. */
@Injectable()
export class FallBacks {
  constructor(
    private readonly reservations: Reservations,
    private readonly admission: Admission,
    private readonly catalog: ModelCatalog,
    private readonly settings: Settings,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** As one that came without any; null: it may not. */
  of(incoming: Incoming, served: Served, first: FirstDispatch): FallBack | null {
    const { admitted, ownKeys, model } = served;
    if (!mayFallBack(admitted.caller.key, ownKeys, model) || !this.catalog.isForAll(model)) return null;
    const { context } = incoming;
    const asked = { ...served, ownKeys: null };
    return async (failure) => {
      tellOwnKeyRefusal(failure, context);
      try {
        const granted = generatesNothing(first.request.kind)
          ? { ...asked, reservation: nothingReserved }
          : await this.reservations.withoutOwnKeys(asked, context);
        const { reservation } = granted;
        const again = servedWith(asked, granted);
        this.admission.tell(asked.admitted, context, again.model.id);
        warnOfFallBack(failure, context);
        const made = toGenerationRequest(incoming, again, reservation, this.settings.generationTimeoutMs);
        const request = { ...made, eventId: eventIdOfFallBack(first.request.eventId) };
        return { request, reservation, answer: again.cache ? first.recorded : first.answer };
      } catch (thrown) {
        return errorToTell(thrown, this.logger, context.requestId, 'a request could not go on without own keys');
      }
    };
  }
}

/** Hands requests to inference, and sees each to its end. */
@Injectable()
export class Dispatcher {
  constructor(
    private readonly client: GenerationClient,
    private readonly answers: CallerAnswers,
    private readonly fallBacks: FallBacks,
    private readonly generations: OpenGenerations,
    private readonly usage: UsagePublisher,
    private readonly costs: CostTeller,
    private readonly catalog: ModelCatalog,
    private readonly refusals: Refusals,
    private readonly metrics: EdgeMetrics,
    private readonly settings: Settings,
    private readonly clock: Clock,
  ) {}

  /** It lasts until it is accounted for, and then lets go of what is held for the request. */
  dispatch(incoming: Incoming, served: Served, reservation: Reserved): void {
    const { response, context } = incoming;
    const { surface } = incoming.operation;
    const { body, sent } = served;
    const { read } = sent;
    const request = toGenerationRequest(incoming, served, reservation, this.settings.generationTimeoutMs);
    const answer = this.answers.begin(incoming, served, () => generation.attemptHeaders());
    const recorded = served.cache?.record(answer) ?? answer;
    const fallBack = this.fallBacks.of(incoming, served, { request, answer, recorded });
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
      ...(fallBack && { fallBack }),
      ...(served.tellsCost && { toldCost: (event) => this.costs.told(event) }),
      countInputTokens: () => this.countedInput(served),
      report: (seen) => {
        this.metrics.usageReported();
        this.usage.publish(edgeUsageEvent(seen));
      },
      onUnanswered: (error) => this.refusals.note(error, incoming.operation.path, context),
      onSettled: (outcome, last) => {
        if (!generatesNothing(request.kind)) this.metrics.generationEnded(request, outcome);
        this.answers.ended(served, last, { state: outcome.state, status: response.status ?? 499, cached: false });
        this.generations.remove(generation);
        this.answers.letGo(served);
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
}
