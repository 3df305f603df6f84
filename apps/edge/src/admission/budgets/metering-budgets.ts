import { budgetLeaseOperations } from '@tollgate/contracts';
import { ControlClient } from '@tollgate/messaging';
import type { z } from 'zod';

type AcquireRequest = Omit<z.input<typeof budgetLeaseOperations.acquire.request>, 'edgeId'>;
type AcquireReply = z.output<typeof budgetLeaseOperations.acquire.reply>;
type RenewedLease = z.input<typeof budgetLeaseOperations.renew.request>['leases'][number];

/** As of MeteringLeases: asked in the way of a request, and beside it. */
const acquireTimeoutMs = 1_500;
const renewTimeoutMs = 3_000;
const leasesPerCall = 1_000;

/** Metering's leases of budgets, as this edge asks for them. Every method rejects with ControlError when metering does not answer. */
export class MeteringBudgets {
  constructor(
    private readonly control: ControlClient,
    private readonly edgeId: string,
  ) {}

  acquire(request: AcquireRequest): Promise<AcquireReply> {
    const asked = { ...request, edgeId: this.edgeId };
    return this.control.call(budgetLeaseOperations.acquire, asked, { timeoutMs: acquireTimeoutMs });
  }

  /** Renews any number of leases. Returns those that live on, and for how long from now. */
  async renew(leases: RenewedLease[]): Promise<{ renewed: Set<string>; ttlMs: number }> {
    const renewed = new Set<string>();
    let ttlMs = 0;
    for (let start = 0; start < leases.length; start += leasesPerCall) {
      const asked = { edgeId: this.edgeId, leases: leases.slice(start, start + leasesPerCall) };
      const answer = await this.control.call(budgetLeaseOperations.renew, asked, { timeoutMs: renewTimeoutMs });
      for (const leaseId of answer.renewed) renewed.add(leaseId);
      ttlMs = answer.ttlMs;
    }
    return { renewed, ttlMs };
  }
}
