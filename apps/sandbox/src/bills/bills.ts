import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { Ledger } from '../ledger/ledger';
import type { LedgerRow } from '../ledger/ledger';
import { chargesOf } from './booked-use';
import { chargeOf, noUse, sellerOf, type BookedUse, type Charge, type Seller } from './price-sheet';

const count = z.number().int().nonnegative();

/**
 * What a bill says otherwise than the books, for tests that must find it. `more`: tokens of output on top, of
 * one request; `missing`: requests that are not billed; `strangers`: requests that nobody made, at epoch
 * milliseconds; `amounts`: pico-dollars on top of a model's kind on a day, of no request.
 */
export const planting = z.strictObject({
  more: z.array(z.strictObject({ requestId: z.string(), output: count })).default([]),
  missing: z.array(z.string()).default([]),
  strangers: z.array(z.strictObject({ model: z.string(), at: count, input: count, output: count })).default([]),
  amounts: z
    .array(
      z.strictObject({ model: z.string(), day: z.iso.date(), kind: z.enum(['input', 'output']), picoUsd: z.string() }),
    )
    .default([]),
});
export type Planting = z.output<typeof planting>;

/** One sampling of a request as its seller bills it; most requests have one. */
export interface BilledRequest {
  requestId: string;
  /** Of its answer, without what stands in front of it. */
  answerId: string;
  model: string;
  kind: LedgerRow['kind'];
  /** Epoch milliseconds. */
  at: number;
  use: BookedUse;
  charge: Charge;
}

export const dayMs = 86_400_000;

/** What the simulated sellers bill for what stands in the books. */
@Injectable()
export class Bills {
  private planted: Planting = planting.parse({});

  constructor(private readonly ledger: Ledger) {}

  /** Replaces what was planted before. */
  plant(planted: Planting): void {
    this.planted = planted;
  }

  /** The requests of a seller that began from `from` up to, not including, `to` (epoch milliseconds). */
  requests(seller: Seller, from: number, to: number): BilledRequest[] {
    const { more, missing, strangers } = this.planted;
    const booked = this.ledger.all().filter((row) => row.state !== 'open' && !missing.includes(row.requestId));
    const strange = strangers.map(({ model, at, input, output }) => {
      const use = { ...noUse, input, output };
      const request = { requestId: `stranger-${at}`, answerId: '', model, kind: 'generation' as const, at };
      return { ...request, use, charge: chargeOf(model, use) };
    });
    const all = booked.flatMap(({ outputTokens, ...row }) => {
      const extra = more.find(({ requestId }) => requestId === row.requestId)?.output ?? 0;
      const charges = chargesOf({ ...row, outputTokens: outputTokens + extra });
      return charges.map((sampling) => ({
        ...sampling,
        ...{ requestId: row.requestId, answerId: row.answerId, kind: row.kind, at: row.startedAt },
      }));
    });
    return [...all, ...strange].flatMap(({ charge, ...request }) => {
      const isOurs = sellerOf(request.model) === seller && request.at >= from && request.at < to;
      return isOurs && charge ? [{ ...request, charge }] : [];
    });
  }

  /** Pico-dollars of a seller's day by model and kind. */
  costs(seller: Seller, from: number): { model: string; kind: string; picoUsd: bigint }[] {
    const sums = new Map<string, { model: string; kind: string; picoUsd: bigint }>();
    const add = (model: string, kind: string, picoUsd: bigint): void => {
      const known = sums.get(`${model} ${kind}`);
      sums.set(`${model} ${kind}`, { model, kind, picoUsd: (known?.picoUsd ?? 0n) + picoUsd });
    };
    for (const { model, charge } of this.requests(seller, from, from + dayMs)) {
      for (const [kind, picoUsd] of Object.entries(charge)) add(model, kind, picoUsd);
    }
    for (const { model, day, kind, picoUsd } of this.planted.amounts)
      if (sellerOf(model) === seller && Date.parse(`${day}T00:00:00Z`) === from) add(model, kind, BigInt(picoUsd));
    return [...sums.values()];
  }
}
