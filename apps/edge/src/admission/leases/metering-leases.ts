import { Inject, Injectable } from '@nestjs/common';
import { budgetLeaseOperations, meteringOperations } from '@tollgate/contracts/metering';
import { ControlClient, NatsGenerationClient } from '@tollgate/messaging';
import type { z } from 'zod';

type TokensAsked = Omit<z.input<typeof meteringOperations.acquireLease.request>, 'edgeId'>;
type TokensGranted = z.output<typeof meteringOperations.acquireLease.reply>;
type BudgetAsked = Omit<z.input<typeof budgetLeaseOperations.acquire.request>, 'edgeId'>;
export type BudgetGranted = z.output<typeof budgetLeaseOperations.acquire.reply>;

/** What becomes of a lease: it gives back so much, in its unit, and ends (`close`) or lives on. */
export interface LeaseChange {
  leaseId: string;
  giveBack: number | bigint;
  close: boolean;
}

/** The leases that metering knows, of those it was told, and how long they live from now. */
export interface RenewedLeases {
  renewed: readonly string[];
  ttlMs: number;
}

/**
 * Metering is asked in the way of a request, so it gets little time, and none where nobody is there: the
 * request goes on without it, but for one with a budget. That is refused then, and would rather wait while
 * a machine is busy, as it would for its key: eighteen budgets took 2.8 s at a load of 19 on two cores. A
 * lease can wait longer for its renewal.
 */
const tokensTimeoutMs = 1_000;
const budgetTimeoutMs = 5_000;
const renewTimeoutMs = 3_000;

/**
 * Metering's leases, as this edge asks for them. Every method rejects with ControlError when metering does
 * not answer.
 */
@Injectable()
export class MeteringLeases {
  private readonly edgeId: string;

  constructor(
    @Inject(ControlClient) private readonly control: Pick<ControlClient, 'call'>,
    @Inject(NatsGenerationClient) { edgeId }: Pick<NatsGenerationClient, 'edgeId'>,
  ) {
    this.edgeId = edgeId;
  }

  acquireTokens(asked: TokensAsked): Promise<TokensGranted> {
    const request = { ...asked, edgeId: this.edgeId };
    return this.control.call(meteringOperations.acquireLease, request, { timeoutMs: tokensTimeoutMs, absentMs: 0 });
  }

  acquireBudget(asked: BudgetAsked): Promise<BudgetGranted> {
    const request = { ...asked, edgeId: this.edgeId };
    return this.control.call(budgetLeaseOperations.acquire, request, { timeoutMs: budgetTimeoutMs, absentMs: 0 });
  }

  renewTokens(changes: LeaseChange[]): Promise<RenewedLeases> {
    const leases = changes.map(({ giveBack, ...change }) => ({ ...change, giveBackTokens: Number(giveBack) }));
    const request = { edgeId: this.edgeId, leases };
    return this.control.call(meteringOperations.renewLeases, request, { timeoutMs: renewTimeoutMs });
  }

  renewBudgets(changes: LeaseChange[]): Promise<RenewedLeases> {
    const leases = changes.map(({ giveBack, ...change }) => ({ ...change, giveBackNanoUsd: giveBack.toString() }));
    const request = { edgeId: this.edgeId, leases };
    return this.control.call(budgetLeaseOperations.renew, request, { timeoutMs: renewTimeoutMs });
  }
}
