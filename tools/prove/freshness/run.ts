import { percentiles } from '../../bench/percentiles';
import type { ProofValues, Say } from '../proof';
import { withStack, withValkey } from '../with-stack';
import { keyFreshness } from './key-freshness';
import { killedFreshness, usageFreshness } from './usage-freshness';

const usageTargetMs = 2_000;
const keyTargetMs = 1_000;
const streamTargetMs = 2_000;

/** `--kills`: of a metering, at most six: an instance that ends four times in a row is not started again. */
export const freshnessOptions = {
  requests: { type: 'string', default: '300' },
  keys: { type: 'string', default: '100' },
  kills: { type: 'string', default: '6' },
} as const;

/**
 * Holds when the 99th percentiles are below two seconds for usage, also after one of two meterings was
 * killed, and the streams of a revoked key, and below one for keys.
 */
export function runFreshness(values: ProofValues<typeof freshnessOptions>, say: Say): Promise<boolean> {
  return withValkey((valkey) =>
    withStack({ environment: { VALKEY_URL: valkey.url }, instances: { edge: 3, metering: 2 } }, async (stack) => {
      const usage = await usageFreshness(stack, Number(values.requests));
      const killed = await killedFreshness(stack, Number(values.kills));
      const { 'its open streams': streams = [], ...keys } = await keyFreshness(stack, Number(values.keys));
      const holds = [
        tell(usage, usageTargetMs, say),
        tell(killed, usageTargetMs, say),
        tell(keys, keyTargetMs, say),
        tell({ 'its open streams': streams }, streamTargetMs, say),
      ];
      return holds.every(Boolean);
    }),
  );
}

/** Says the times, and returns whether all are as short as they shall be. */
function tell(times: Record<string, number[]>, targetMs: number, say: Say): boolean {
  const slowest = Object.entries(times).map(([what, samples]) => {
    const { p50, p99 } = percentiles(samples);
    say(`${what.padEnd(16)} p50 ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms of ${samples.length}`);
    return samples.length > 0 ? p99 : Infinity;
  });
  return slowest.every((p99) => p99 < targetMs);
}
