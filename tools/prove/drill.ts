import { setTimeout as delay } from 'node:timers/promises';
import type { Stack } from '../stack/stack';
import type { Load } from './load';
import type { SimulatedProvider } from './simulated-provider';

/** The processes that are killed, in this order. */
export const victims = ['metering', 'inference', 'nats', 'postgres'] as const;
export type Victim = (typeof victims)[number];

export interface DrillReport {
  victim: Victim;
  /** Requests that were under way when it was killed. */
  inFlight: number;
  /** Until its successor was ready. */
  recoveredAfterMs: number;
}

/** Time for a request to reach the provider, and for written bytes to reach edge: over loopback, through NATS, on a busy machine. */
const arrivalMs = 200;
const settleMs = 400;
/** Time for the survivors to notice a cut connection, close theirs to the provider, and book. */
const noticeMs = 1_000;

/**
 * Kills one process with SIGKILL in the middle of the load and waits for its successor.
 *
 * The death of inference or of nats-server cuts every generation that is under way. Bytes that are on the wire at that instant were sent by the
 * provider and will be read by nobody: the provider has booked them, and no gateway can know of them. So the provider holds its breath
 * for a moment first, with the generations still open, and goes on when those are cut. The other two are killed without any such care.
 */
export async function killUnderLoad(
  stack: Stack,
  load: Load,
  provider: SimulatedProvider,
  victim: Victim,
): Promise<DrillReport> {
  const cutsGenerations = victim === 'inference' || victim === 'nats';
  let inFlight = 0;
  let killedAt = 0;
  const kill = () => {
    inFlight = load.inFlight;
    killedAt = Date.now();
    stack.process(victim).kill('SIGKILL');
  };
  if (cutsGenerations) {
    await load.holdDuring(async () => {
      // A request that is only just under way to the provider would be held in front of its books: those must arrive first.
      await delay(arrivalMs);
      await provider.pause();
      await delay(settleMs);
      kill();
    });
    await delay(noticeMs);
    await provider.resume();
  } else kill();
  await delay(100);
  await stack.process(victim).ready();
  return { victim, inFlight, recoveredAfterMs: Date.now() - killedAt };
}
