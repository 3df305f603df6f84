import { Controller } from '@nestjs/common';
import { meteringOperations } from '@tollgate/contracts/metering';
import { Serve } from '@tollgate/messaging';
import { databaseAnswer } from '../databases';
import type { Reply, Request } from '../operations';
import { QuotaLeases } from './quota-leases';

/** What edges ask to keep keys within their quota. */
@Controller()
export class QuotaController {
  constructor(private readonly leases: QuotaLeases) {}

  @Serve(meteringOperations.acquireLease)
  acquire(request: Request<'acquireLease'>): Promise<Reply<'acquireLease'>> {
    return databaseAnswer(() => this.leases.acquire(request));
  }

  @Serve(meteringOperations.renewLeases)
  renew(request: Request<'renewLeases'>): Promise<Reply<'renewLeases'>> {
    return databaseAnswer(() => this.leases.renew(request));
  }
}
