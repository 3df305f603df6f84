import { Injectable } from '@nestjs/common';
import { decimalFromNanoUsd, GatewayError } from '@tollgate/contracts';
import type { UsageEvent } from '@tollgate/contracts';
import type { CallerKey } from '@tollgate/contracts/accounts';
import { ledgerOperations } from '@tollgate/contracts/metering';
import type { ToldCost } from '@tollgate/dialects/surface';
import { ControlClient } from '@tollgate/messaging';
import type { IncomingHttpHeaders } from 'node:http';
import { ModelCatalog } from '../catalog/model-catalog';

/**
 * A request says by it that it wants to be told its charge, and a plain answer tells it: US dollars, exact,
 * without an exponent; or one of the words below.
 */
export const costHeader = 'x-tollgate-cost';
/** Stands beside a charge (`true`) whose price may be another. */
export const unconfirmedHeader = 'x-tollgate-cost-unconfirmed';

/**
 * Longer than this no finished answer waits for its price, milliseconds, nor for somebody who could tell it.
 */
const quotePatience = { timeoutMs: 2_000, absentMs: 0 };

/**
 * As the header says, else as is set for the key.
 * @throws GatewayError 400 for a header that says something else.
 */
export function wantsCost(headers: IncomingHttpHeaders, { tellCost }: Pick<CallerKey, 'tellCost'>): boolean {
  const asked = headers[costHeader];
  if (asked !== undefined && asked !== 'on' && asked !== 'off')
    throw new GatewayError(400, `The header '${costHeader}' must be on or off.`);
  return asked === undefined ? tellCost : asked === 'on';
}

/** The headers that tell it. */
export function costHeaders({ amount, isUnconfirmed }: ToldCost): Record<string, string> {
  return { [costHeader]: amount, ...(isUnconfirmed && { [unconfirmedHeader]: 'true' }) };
}

/** Tells callers what they pay. */
@Injectable()
export class CostTeller {
  constructor(
    private readonly control: ControlClient,
    private readonly catalog: ModelCatalog,
  ) {}

  /**
   * What the ledger charges for an event, as callers are told it; metering rates it, as it rates what it
   * stores. `unpriced`: something in it has no price.
   * `unavailable`: nobody could say so in time; the charge itself does not depend on that. Never rejects.
   */
  async told(event: UsageEvent | null): Promise<ToldCost> {
    if (!event) return { amount: 'unavailable', isUnconfirmed: false };
    try {
      const { costNanoUsd } = await this.control.call(ledgerOperations.quote, { event }, quotePatience);
      if (costNanoUsd === null) return { amount: 'unpriced', isUnconfirmed: false };
      const isUnconfirmed = this.catalog.priceStanding(event.model)?.unconfirmed ?? false;
      return { amount: decimalFromNanoUsd(BigInt(costNanoUsd)), isUnconfirmed };
    } catch {
      return { amount: 'unavailable', isUnconfirmed: false };
    }
  }
}
