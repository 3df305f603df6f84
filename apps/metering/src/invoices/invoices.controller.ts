import { Controller } from '@nestjs/common';
import { invoiceOperations } from '@tollgate/contracts';
import { Serve } from '@tollgate/messaging';
import type { z } from 'zod';
import { databaseAnswer } from '../databases';
import { DriftRequests } from './drift-requests';
import { Invoices } from './invoices';
import { KeptAnswers } from './kept-answers';

type Operations = typeof invoiceOperations;
type Request<Name extends keyof Operations> = z.output<Operations[Name]['request']>;
type Reply<Name extends keyof Operations> = z.output<Operations[Name]['reply']>;

/** The bills of providers beside ours. */
@Controller()
export class InvoicesController {
  constructor(
    private readonly invoices: Invoices,
    private readonly requestsBehind: DriftRequests,
    private readonly keptAnswers: KeptAnswers,
  ) {}

  @Serve(invoiceOperations.wanted)
  wanted({ providers }: Request<'wanted'>): Promise<Reply<'wanted'>> {
    return databaseAnswer(async () => ({ days: await this.invoices.wanted(providers) }));
  }

  @Serve(invoiceOperations.answers)
  answers({ after, ...billed }: Request<'answers'>): Promise<Reply<'answers'>> {
    return databaseAnswer(() => this.keptAnswers.find(billed, after));
  }

  @Serve(invoiceOperations.store)
  store(request: Request<'store'>): Promise<Reply<'store'>> {
    return databaseAnswer(async () => ({ taken: await this.invoices.store(request) }));
  }

  @Serve(invoiceOperations.drift)
  drift({ from, to, provider }: Request<'drift'>): Promise<Reply<'drift'>> {
    return databaseAnswer(() => this.invoices.drift(from, to, provider));
  }

  @Serve(invoiceOperations.requests)
  requests(line: Request<'requests'>): Promise<Reply<'requests'>> {
    return databaseAnswer(() => this.requestsBehind.find(line));
  }
}
