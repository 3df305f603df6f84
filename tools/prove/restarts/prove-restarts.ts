import { setTimeout as delay } from 'node:timers/promises';
import type { Stack } from '../../stack/stack';
import { Balancer } from '../balancer';
import { failures } from '../exchange';
import { Traffic } from './traffic';

export interface RestartsOptions {
  /** How often each process is restarted. */
  times: number;
  /** Processes that are restarted one after the other. */
  names: readonly string[];
  /**
   * Instances of inference that are started one after the other, and then stopped, beside the one that stays.
   */
  scaled: readonly string[];
  perSecond: number;
  onProgress: (line: string) => void;
}

/** What was done to a process, and how long it took. */
export interface Step {
  name: string;
  what: 'restart' | 'start' | 'stop';
  tookMs: number;
}

export interface RestartsProof {
  steps: Step[];
  requests: number;
  streams: number;
  redirected: number;
  /** Requests that were answered with an error, or broke, or ended silently: a sentence each. */
  failed: string[];
  holds: boolean;
}

/**
 * Every instance of every service, and inference scaled from 1 to 4 and back: what the proof does, and the
 * instances that it needs.
 */
export const everything = {
  names: ['edge', 'edge-2', 'inference', 'inference-2', 'metering', 'metering-2', 'accounts', 'catalog'],
  scaled: ['inference-2', 'inference-3', 'inference-4'],
  instances: { edge: 2, inference: 4, metering: 2 },
};
/**
 * The balancer of this proof shares its cores with everything else, and may be late to hear that an edge
 * stops.
 */
export const restartEnvironment = { EDGE_STOP_GRACE_S: '3' };
/** Between two steps, so that every step meets streams that are in their middle. */
const calmMs = 700;

/** Restarts services under load, and scales inference up and back: no request may notice. */
export async function proveRestarts(
  stack: Stack,
  { times, names, scaled, perSecond, onProgress }: RestartsOptions,
): Promise<RestartsProof> {
  const { apiKey } = await stack.createKey({ name: 'restarts', plan: 'enterprise', rpm: 1_000_000 });
  const spare = scaled.filter((name) => !names.includes(name));
  await Promise.all(spare.map((name) => stack.process(name).stop()));
  const balancer = new Balancer(stack.baseUrls);
  const traffic = new Traffic(balancer, apiKey, perSecond);
  const steps: Step[] = [];
  const step = async (name: string, what: Step['what']): Promise<void> => {
    await delay(calmMs);
    const startedAt = Date.now();
    const process = stack.process(name);
    await { restart: () => process.restart(), start: () => process.startAgain(), stop: () => process.stop() }[what]();
    // It did nothing to one that was not in the state that the step begins with.
    if ((process.pid === null) !== (what === 'stop')) throw new Error(`${what} ${name}: process ${process.pid}`);
    steps.push({ name, what, tookMs: Date.now() - startedAt });
    const failed = failures(traffic.outcomes);
    onProgress(
      `${what} ${name}: ${failed.length} of ${traffic.outcomes.length} answers failed ${failed.at(-1) ?? ''}`.trimEnd(),
    );
  };
  balancer.start();
  traffic.start();
  try {
    for (let time = 0; time < times; time++) for (const name of names) await step(name, 'restart');
    for (const name of scaled) if (!spare.includes(name)) await step(name, 'stop');
    for (const name of scaled) await step(name, 'start');
    for (const name of scaled) await step(name, 'stop');
    await delay(calmMs);
  } finally {
    await traffic.stop();
    balancer.stop();
  }
  const { outcomes } = traffic;
  const failed = failures(outcomes);
  const streams = outcomes.filter(({ request }) => request.stream).length;
  return {
    steps,
    requests: outcomes.length,
    streams,
    redirected: balancer.redirected,
    failed,
    holds: failed.length === 0 && outcomes.length > 0,
  };
}
