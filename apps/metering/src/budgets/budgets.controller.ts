import { Controller } from '@nestjs/common';
import type { ServedBy } from '@tollgate/contracts';
import { budgetLeaseOperations } from '@tollgate/contracts/metering';
import { Serve } from '@tollgate/messaging';
import { databaseAnswer } from '../databases';
import { BudgetLeases } from './budget-leases';

type Served = ServedBy<typeof budgetLeaseOperations>;

/** What edges ask to keep requests within their budgets, and anybody who shows how these stand. */
@Controller()
export class BudgetsController {
  constructor(private readonly leases: BudgetLeases) {}

  @Serve(budgetLeaseOperations.acquire)
  acquire(request: Served['acquire']['request']): Promise<Served['acquire']['reply']> {
    return databaseAnswer(() => this.leases.acquire(request));
  }

  @Serve(budgetLeaseOperations.renew)
  renew(request: Served['renew']['request']): Promise<Served['renew']['reply']> {
    return databaseAnswer(() => this.leases.renew(request));
  }

  @Serve(budgetLeaseOperations.states)
  async states({ budgetIds }: Served['states']['request']): Promise<Served['states']['reply']> {
    return { states: await databaseAnswer(() => this.leases.states(budgetIds)) };
  }

  @Serve(budgetLeaseOperations.reached)
  reached(request: Served['reached']['request']): Promise<Served['reached']['reply']> {
    return databaseAnswer(() => this.leases.reached(request));
  }

  @Serve(budgetLeaseOperations.names)
  names(request: Served['names']['request']): Promise<Served['names']['reply']> {
    return databaseAnswer(() => this.leases.names(request));
  }

  @Serve(budgetLeaseOperations.windows)
  windows(request: Served['windows']['request']): Promise<Served['windows']['reply']> {
    return databaseAnswer(() => this.leases.windows(request));
  }

  @Serve(budgetLeaseOperations.reachedNames)
  reachedNames(request: Served['reachedNames']['request']): Promise<Served['reachedNames']['reply']> {
    return databaseAnswer(() => this.leases.reachedNames(request));
  }

  @Serve(budgetLeaseOperations.namesTold)
  async namesTold(request: Served['namesTold']['request']): Promise<Served['namesTold']['reply']> {
    await databaseAnswer(() => this.leases.namesTold(request));
    return {};
  }
}
