import { Controller } from '@nestjs/common';
import { backgroundOperations } from '@tollgate/contracts/metering';
import { Serve } from '@tollgate/messaging';
import { databaseAnswer } from '../databases';
import type { BackgroundReply, BackgroundRequest } from '../operations';
import { BackgroundResponses } from './background-responses';

/** Says which edge works on which response in the background. */
@Controller()
export class BackgroundController {
  constructor(private readonly responses: BackgroundResponses) {}

  @Serve(backgroundOperations.begin)
  begin(work: BackgroundRequest<'begin'>): Promise<BackgroundReply<'begin'>> {
    return nothing(() => this.responses.begin(work));
  }

  @Serve(backgroundOperations.renew)
  renew(request: BackgroundRequest<'renew'>): Promise<BackgroundReply<'renew'>> {
    return databaseAnswer(async () => ({ works: await this.responses.renew(request) }));
  }

  @Serve(backgroundOperations.take)
  take(request: BackgroundRequest<'take'>): Promise<BackgroundReply<'take'>> {
    return databaseAnswer(async () => ({ works: await this.responses.take(request) }));
  }

  @Serve(backgroundOperations.find)
  find(request: BackgroundRequest<'find'>): Promise<BackgroundReply<'find'>> {
    return databaseAnswer(() => this.responses.find(request));
  }

  @Serve(backgroundOperations.cancel)
  cancel(request: BackgroundRequest<'cancel'>): Promise<BackgroundReply<'cancel'>> {
    return nothing(() => this.responses.cancel(request));
  }

  @Serve(backgroundOperations.release)
  release(request: BackgroundRequest<'release'>): Promise<BackgroundReply<'release'>> {
    return nothing(() => this.responses.release(request));
  }

  @Serve(backgroundOperations.finish)
  finish(request: BackgroundRequest<'finish'>): Promise<BackgroundReply<'finish'>> {
    return nothing(() => this.responses.finish(request));
  }
}

/** The answer of an operation that tells nothing. */
function nothing(work: () => Promise<void>): Promise<Record<string, never>> {
  return databaseAnswer(async () => {
    await work();
    return {};
  });
}
