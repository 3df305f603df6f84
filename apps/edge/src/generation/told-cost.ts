import { decimalFromNanoUsd, GatewayError, ledgerOperations } from '@tollgate/contracts';
import type { CallerKey, UsageEvent } from '@tollgate/contracts';
import type { ControlClient } from '@tollgate/messaging';
import type { IncomingHttpHeaders } from 'node:http';

/**
 * A request says by it that it wants to be told its charge, and a plain answer tells it: US dollars, exact,
 * without an exponent; or one of the words below.
 */
export const costHeader = 'x-tollgate-cost';

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

/**
 * What the ledger charges for an event, as callers are told it; metering rates it, as it rates what it
 * stores. `unpriced`: something in it has no price.
 * `unavailable`: nobody could say so in time; the charge itself does not depend on that. Never rejects.
 */
export async function toldCost(control: ControlClient, event: UsageEvent | null): Promise<string> {
  if (!event) return 'unavailable';
  try {
    const { costNanoUsd } = await control.call(ledgerOperations.quote, { event }, quotePatience);
    return costNanoUsd === null ? 'unpriced' : decimalFromNanoUsd(BigInt(costNanoUsd));
  } catch {
    return 'unavailable';
  }
}
