import { Controller } from '@nestjs/common';
import { ledgerOperations } from '@tollgate/contracts';
import { Serve } from '@tollgate/messaging';
import { databaseAnswer } from '../database-answer';
import type { LedgerReply, LedgerRequest } from '../operations';
import { LetterDesk } from './letter-desk';

/** What operators do about usage that could not be stored. */
@Controller()
export class DeadLettersController {
  constructor(private readonly desk: LetterDesk) {}

  @Serve(ledgerOperations.listDeadLetters)
  list(request: LedgerRequest<'listDeadLetters'>): Promise<LedgerReply<'listDeadLetters'>> {
    return this.desk.list(request);
  }

  @Serve(ledgerOperations.showDeadLetter)
  show({ sequence }: LedgerRequest<'showDeadLetter'>): Promise<LedgerReply<'showDeadLetter'>> {
    return this.desk.show(sequence);
  }

  @Serve(ledgerOperations.replayDeadLetter)
  replay({ sequence }: LedgerRequest<'replayDeadLetter'>): Promise<LedgerReply<'replayDeadLetter'>> {
    return databaseAnswer(() => this.desk.replay(sequence));
  }

  @Serve(ledgerOperations.dropDeadLetter)
  async drop({ sequence }: LedgerRequest<'dropDeadLetter'>): Promise<LedgerReply<'dropDeadLetter'>> {
    await this.desk.drop(sequence);
    return {};
  }
}
