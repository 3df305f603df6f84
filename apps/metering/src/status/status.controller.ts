import { Controller } from '@nestjs/common';
import { meteringOperations } from '@tollgate/contracts/metering';
import { Serve } from '@tollgate/messaging';
import { databaseAnswer } from '../databases';
import type { Reply } from '../operations';
import { QuotaLeases } from '../quota/quota-leases';
import { UsageBacklog } from './usage-backlog';

/** How metering itself is doing. */
@Controller()
export class StatusController {
  constructor(
    private readonly leases: QuotaLeases,
    private readonly backlog: UsageBacklog,
  ) {}

  @Serve(meteringOperations.status)
  async status(): Promise<Reply<'status'>> {
    const [live, backlog] = await Promise.all([databaseAnswer(() => this.leases.live()), this.backlog.read()]);
    return {
      reservedTokens: live.tokens,
      liveLeases: live.leases,
      pendingEvents: backlog.messages,
      received: backlog.received,
      deadLetters: backlog.deadLetters,
      copies: backlog.copies,
      madeAnew: await databaseAnswer(() => this.backlog.madeAnew(backlog)),
    };
  }
}
