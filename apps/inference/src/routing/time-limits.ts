import type { TimeLimits } from '@tollgate/contracts/catalog';
import type { Route } from './route-table';

const connectMs = 5_000;
const totalMs = 900_000;
/** Models that reason, and servers that let requests wait, may be silent for minutes. */
const longMs = 600_000;
/** Only where another place can answer instead. */
const firstByteMs = 120_000;
const idleMs = 60_000;

/**
 * The time limits of one attempt, milliseconds: what the operator named for the model or else for its
 * provider, and where nothing was named what fits the request. A short limit is an answer only where there is
 * another place to go to (`last` false). An answer that is no stream shows nothing before it is whole, so it
 * has the total limit alone, or ten minutes where another place comes after. A server that lets requests wait
 * has as long again for each of the `ahead` requests that this instance has there already: they are before
 * this one.
 */
export function timeLimitsOf(
  { model, endpoint, timeouts }: Pick<Route, 'model' | 'endpoint' | 'timeouts'>,
  { stream, last, ahead }: { stream: boolean; last: boolean; ahead: number },
): Required<TimeLimits> {
  const total = timeouts.totalMs ?? totalMs;
  const slow = model.capabilities.reasoning || endpoint.provider.queues;
  const patienceMs = endpoint.provider.queues ? Math.max(longMs, Math.min(total, longMs * (1 + ahead))) : longMs;
  const whole = last ? total : Math.min(total, patienceMs);
  return {
    connectMs: timeouts.connectMs ?? connectMs,
    firstByteMs: timeouts.firstByteMs ?? (stream ? (slow || last ? patienceMs : firstByteMs) : whole),
    idleMs: timeouts.idleMs ?? (stream ? (slow || last ? longMs : idleMs) : whole),
    totalMs: total,
  };
}
