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

/** A request goes on without metering's answer, so it waits no longer for it. */
const tokensTimeoutMs = 1_000;
/**
 * Without an answer a request with a budget is refused, so it waits almost as long as any answer may take to
 * begin: eighteen budgets took metering 2.8 s at a load of 19 on two cores.
 */
const budgetTimeoutMs = 4_500;
/** Nobody waits for a renewal. */
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
