import { setTimeout as delay } from 'node:timers/promises';
import { storedEvents } from './ledger/stored-events';

const pollMs = 500;

/**
 * Waits until Postgres holds a usage event of each of these requests, whose ids begin with `run` and a dash.
 * Returns a sentence for each that has none after `timeoutMs`, or more than one.
 */
export async function notBilledOnce(
  databaseUrl: string,
  run: string,
  requestIds: readonly string[],
  timeoutMs: number,
): Promise<string[]> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const counts = new Map<string, number>();
    for (const { request_id: id } of await storedEvents(databaseUrl, run)) counts.set(id, (counts.get(id) ?? 0) + 1);
    const isMissing = requestIds.some((id) => !counts.has(id));
    if (isMissing && Date.now() < deadline) await delay(pollMs);
    else
      return requestIds
        .filter((id) => counts.get(id) !== 1)
        .map((id) => `${id} was answered whole and has ${counts.get(id) ?? 0} usage events`);
  }
}
