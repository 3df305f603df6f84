import { Controller } from '@nestjs/common';
import { ledgerOperations } from '@tollgate/contracts/metering';
import { Serve } from '@tollgate/messaging';
import { databaseAnswer } from '../databases';
import type { LedgerReply, LedgerRequest } from '../operations';
import { UsageBacklog } from '../status/usage-backlog';
import { KeptReplay } from './kept-replay';
import { Ledger } from './ledger';
import { UnsettledLeases } from './unsettled-leases';

/** What operators ask about single events, and about events that are missing. */
@Controller()
export class LedgerController {
  constructor(
    private readonly ledger: Ledger,
    private readonly unsettled: UnsettledLeases,
    private readonly backlog: UsageBacklog,
    private readonly kept: KeptReplay,
  ) {}

  @Serve(ledgerOperations.explain)
  explain({ id, eventOnly }: LedgerRequest<'explain'>): Promise<LedgerReply<'explain'>> {
    return databaseAnswer(() => (eventOnly ? this.ledger.explainEvent(id) : this.ledger.explain(id)));
  }

  @Serve(ledgerOperations.quote)
  quote({ event }: LedgerRequest<'quote'>): Promise<LedgerReply<'quote'>> {
    return databaseAnswer(() => this.ledger.quote(event));
  }

  @Serve(ledgerOperations.replayUsage)
  replay(request: LedgerRequest<'replayUsage'>): Promise<LedgerReply<'replayUsage'>> {
    return databaseAnswer(() => this.kept.step(request));
  }

  @Serve(ledgerOperations.sweep)
  async sweep({ forget }: LedgerRequest<'sweep'>): Promise<LedgerReply<'sweep'>> {
    // The backlog first: an event that is stored in between settles its lease before the leases are read.
    const { messages } = await this.backlog.read();
    return databaseAnswer(async () => {
      const { leases, count, tokens } = await this.unsettled.read();
      if (forget) await this.unsettled.forget(leases);
      return { leases, count, tokens, pendingMessages: messages };
    });
  }
}
