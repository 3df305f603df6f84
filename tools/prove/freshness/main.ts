import { startValkey } from '@tollgate/testing';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { percentiles } from '../../bench/percentiles';
import { buildServices } from '../../stack/build';
import { startStack } from '../../stack/stack';
import { keyFreshness } from './key-freshness';
import { usageFreshness } from './usage-freshness';

const usageTargetMs = 2_000;
const keyTargetMs = 1_000;
const streamTargetMs = 2_000;

/**
 * `npm run prove:freshness`: how soon usage is told, and how soon three edges act by a changed key under load. Exits with 0 when the 99th percentiles are
 * below two seconds for usage and the streams of a revoked key, and below one for keys.
 */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { requests: { type: 'string', default: '300' }, keys: { type: 'string', default: '100' } },
  });
  const dataFolder = mkdtempSync(join(tmpdir(), 'tollgate-freshness-'));
  await buildServices();
  const valkey = await startValkey();
  const environment = { TOLLGATE_SANDBOX: 'on', VALKEY_URL: valkey.url };
  const stack = await startStack({ dataFolder, environment, instances: { edge: 3 } });
  try {
    const usage = await usageFreshness(stack, Number(values.requests));
    const { 'its open streams': streams = [], ...keys } = await keyFreshness(stack, Number(values.keys));
    const holds = [
      tell(usage, usageTargetMs),
      tell(keys, keyTargetMs),
      tell({ 'its open streams': streams }, streamTargetMs),
    ];
    process.exitCode = holds.every(Boolean) ? 0 : 1;
  } finally {
    await stack.stop();
    await valkey.stop();
    rmSync(dataFolder, { recursive: true, force: true });
  }
}

/** Prints the times, and returns whether all are as short as they shall be. */
function tell(times: Record<string, number[]>, targetMs: number): boolean {
  const slowest = Object.entries(times).map(([what, samples]) => {
    const { p50, p99 } = percentiles(samples);
    console.log(`${what.padEnd(16)} p50 ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms of ${samples.length}`);
    return samples.length > 0 ? p99 : Infinity;
  });
  return slowest.every((p99) => p99 < targetMs);
}

void main();
