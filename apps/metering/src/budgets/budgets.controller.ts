import { Controller } from '@nestjs/common';
import { budgetLeaseOperations } from '@tollgate/contracts';
import { Serve } from '@tollgate/messaging';
import type { z } from 'zod';
import { databaseAnswer } from '../databases';
import { BudgetLeases } from './budget-leases';

type Operations = typeof budgetLeaseOperations;
type Request<Name extends keyof Operations> = z.output<Operations[Name]['request']>;
type Reply<Name extends keyof Operations> = z.output<Operations[Name]['reply']>;

/** What edges ask to keep requests within their budgets, and anybody who shows how these stand. */
@Controller()
export class BudgetsController {
  constructor(private readonly leases: BudgetLeases) {}

  @Serve(budgetLeaseOperations.acquire)
  acquire(request: Request<'acquire'>): Promise<Reply<'acquire'>> {
    return databaseAnswer(() => this.leases.acquire(request));
  }

  @Serve(budgetLeaseOperations.renew)
  renew(request: Request<'renew'>): Promise<Reply<'renew'>> {
    return databaseAnswer(() => this.leases.renew(request));
  }

  @Serve(budgetLeaseOperations.states)
  async states({ budgetIds }: Request<'states'>): Promise<Reply<'states'>> {
    return { states: await databaseAnswer(() => this.leases.states(budgetIds)) };
  }

  @Serve(budgetLeaseOperations.reached)
  reached(request: Request<'reached'>): Promise<Reply<'reached'>> {
    return databaseAnswer(() => this.leases.reached(request));
  }

  @Serve(budgetLeaseOperations.names)
  names(request: Request<'names'>): Promise<Reply<'names'>> {
    return databaseAnswer(() => this.leases.names(request));
  }

  @Serve(budgetLeaseOperations.windows)
  windows(request: Request<'windows'>): Promise<Reply<'windows'>> {
    return databaseAnswer(() => this.leases.windows(request));
  }

  @Serve(budgetLeaseOperations.reachedNames)
  reachedNames(request: Request<'reachedNames'>): Promise<Reply<'reachedNames'>> {
    return databaseAnswer(() => this.leases.reachedNames(request));
  }

  @Serve(budgetLeaseOperations.namesTold)
  async namesTold(request: Request<'namesTold'>): Promise<Reply<'namesTold'>> {
    await databaseAnswer(() => this.leases.namesTold(request));
    return {};
  }
}
