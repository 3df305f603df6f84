import { meteringOperations } from '@tollgate/contracts';
import { ControlClient } from '@tollgate/messaging';
import type { z } from 'zod';

type AcquireRequest = Omit<z.input<typeof meteringOperations.acquireLease.request>, 'edgeId'>;
type AcquireReply = z.output<typeof meteringOperations.acquireLease.reply>;
type RenewedLease = z.input<typeof meteringOperations.renewLeases.request>['leases'][number];

/** Metering is asked in the way of a request, so it gets little time; a lease can wait longer for its renewal. */
const acquireTimeoutMs = 1_000;
const renewTimeoutMs = 3_000;
/** As many as one message may carry. */
const leasesPerCall = 1_000;

/** Metering's leases, as this edge asks for them. Every method rejects with ControlError when metering does not answer. */
export class MeteringLeases {
  constructor(
    private readonly control: ControlClient,
    private readonly edgeId: string,
  ) {}

  async acquire(request: AcquireRequest): Promise<AcquireReply> {
    return this.control.call(
      meteringOperations.acquireLease,
      { ...request, edgeId: this.edgeId },
      { timeoutMs: acquireTimeoutMs },
    );
  }

  /** Renews any number of leases. Returns those that live on, and for how long from now. */
  async renew(leases: RenewedLease[]): Promise<{ renewed: Set<string>; ttlMs: number }> {
    const renewed = new Set<string>();
    let ttlMs = 0;
    for (let start = 0; start < leases.length; start += leasesPerCall) {
      const answer = await this.control.call(
        meteringOperations.renewLeases,
        { edgeId: this.edgeId, leases: leases.slice(start, start + leasesPerCall) },
        { timeoutMs: renewTimeoutMs },
      );
      for (const leaseId of answer.renewed) renewed.add(leaseId);
      ttlMs = answer.ttlMs;
    }
    return { renewed, ttlMs };
  }
}
