import { meteringOperations } from '@tollgate/contracts/metering';
import { setTimeout as delay } from 'node:timers/promises';
import type { Stack } from '../../stack/stack';
import type { LedgerRow, SimulatedProvider } from '../simulated-provider';
import { storedEvents } from './stored-events';

const settleTimeoutMs = 180_000;

/**
 * The provider's rows, once none is open and every request that it booked has its event, or patience is over.
 */
export async function settledRows(
  stack: Stack,
  provider: SimulatedProvider,
  run: string,
  keyId: string,
): Promise<LedgerRow[]> {
  const deadline = Date.now() + settleTimeoutMs;
  for (;;) {
    const rows = (await provider.ledger()).filter(({ requestId }) => requestId.startsWith(`${run}-`));
    const booked = new Set(rows.map(({ requestId }) => requestId));
    const { pendingEvents } = await stack.call(meteringOperations.status, {});
    const { events } = await stack.call(meteringOperations.recount, { keyId });
    const isOver = rows.every(({ state }) => state !== 'open') && pendingEvents === 0 && events >= booked.size;
    if (Date.now() > deadline || (isOver && (await haveEvents(stack, run, booked)))) return rows;
    await delay(2_000);
  }
}

/** Some events are of requests that the provider never got, so their number alone does not tell. */
async function haveEvents(stack: Stack, run: string, requestIds: ReadonlySet<string>): Promise<boolean> {
  const stored = new Set((await storedEvents(stack.databaseUrl, run)).map(({ request_id }) => request_id));
  return [...requestIds].every((id) => stored.has(id));
}
