import { Inject, Injectable } from '@nestjs/common';
import type { GenerationRequest } from '@tollgate/contracts';
import { generatesNothing } from '@tollgate/contracts';
import type { Logger } from '@tollgate/observability';
import { LOGGER } from '@tollgate/service';
import { Admission } from '../admission/admission';
import { nothingReserved } from '../admission/reserved';
import { ModelCatalog } from '../catalog/model-catalog';
import { errorToTell } from '../errors/to-gateway-error';
import { Settings } from '../settings';
import type { Answer } from './answer';
import type { FallBack } from './generation';
import { eventIdOfFallBack, mayFallBack, tellOwnKeyRefusal, warnOfFallBack } from './own-keys';
import { Reservations } from './reservations';
import { servedWith, toGenerationRequest } from './served-request';
import type { Incoming, Served } from './served-request';

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
