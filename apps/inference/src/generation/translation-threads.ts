import { fromFailureElsewhere, GatewayError } from '@tollgate/contracts';
import type { TranslatedRequest } from '@tollgate/dialects';
import { ThreadsByOwner } from '@tollgate/messaging';
import type { Owner } from '@tollgate/messaging';
import type { Logger } from '@tollgate/observability';
import { join } from 'node:path';
import type { TranslationAnswer, TranslationJob } from './translation-task';

/**
 * Has large requests put into a provider's dialect on threads, so that nobody else waits while one is parsed
 * and written; accounts take turns, and their keys.
 */
export class TranslationThreads {
  private readonly threads: ThreadsByOwner<TranslationJob, TranslationAnswer>;

  constructor(logger: Logger) {
    // The body stays here, for the next place: a large one lies in memory that threads share.
    const nothing = (): ArrayBuffer[] => [];
    this.threads = new ThreadsByOwner(join(__dirname, 'translation.worker'), nothing, notTranslatable, logger);
  }

  /** @throws GatewayError as `Translation.translate` does; 503 when its thread ended over it. */
  async translate(owner: Owner, job: TranslationJob): Promise<TranslatedRequest> {
    const answer = await this.threads.do(owner, () => job);
    if (answer.failure) throw fromFailureElsewhere(answer.failure);
    return answer.translated;
  }

  close(): Promise<void> {
    return this.threads.close();
  }
}

function notTranslatable(): GatewayError {
  return new GatewayError(503, 'The request cannot be translated at the moment; try again shortly.', 5);
}
