import { Controller } from '@nestjs/common';
import type { ServedBy } from '@tollgate/contracts';
import { invoiceOperations } from '@tollgate/contracts/metering';
import { Serve } from '@tollgate/messaging';
import { databaseAnswer } from '../databases';
import { DriftRequests } from './drift-requests';
import { Invoices } from './invoices';
import { KeptAnswers } from './kept-answers';

type Served = ServedBy<typeof invoiceOperations>;

/** The bills of providers beside ours. */
@Controller()
export class InvoicesController {
  constructor(
    private readonly invoices: Invoices,
    private readonly requestsBehind: DriftRequests,
    private readonly keptAnswers: KeptAnswers,
  ) {}

  @Serve(invoiceOperations.wanted)
  wanted({ providers }: Served['wanted']['request']): Promise<Served['wanted']['reply']> {
    return databaseAnswer(async () => ({ days: await this.invoices.wanted(providers) }));
  }

  @Serve(invoiceOperations.answers)
  answers({ after, ...billed }: Served['answers']['request']): Promise<Served['answers']['reply']> {
    return databaseAnswer(() => this.keptAnswers.find(billed, after));
  }

  @Serve(invoiceOperations.store)
  store(request: Served['store']['request']): Promise<Served['store']['reply']> {
    return databaseAnswer(async () => ({ taken: await this.invoices.store(request) }));
  }

  @Serve(invoiceOperations.drift)
  drift({ from, to, provider }: Served['drift']['request']): Promise<Served['drift']['reply']> {
    return databaseAnswer(() => this.invoices.drift(from, to, provider));
  }

  @Serve(invoiceOperations.requests)
  requests(line: Served['requests']['request']): Promise<Served['requests']['reply']> {
    return databaseAnswer(() => this.requestsBehind.find(line));
  }
}
