import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { percentiles } from '../../bench/percentiles';
import { buildServices } from '../../stack/build';
import { startStack } from '../../stack/stack';
import type { Stack } from '../../stack/stack';

const targetMs = 2_000;
const pollMs = 5;
const usage = z.object({ used: z.number() });
const report = z.object({ totals: z.object({ requests: z.number() }) });

/** `npm run prove:freshness`: the time from the end of an answer until /v1/usage and /api/metrics tell it. Exits with 0 when the 99th percentile is below two seconds. */
async function main(): Promise<void> {
  const { values } = parseArgs({ options: { requests: { type: 'string', default: '300' } } });
  const dataFolder = mkdtempSync(join(tmpdir(), 'tollgate-freshness-'));
  await buildServices();
  const stack = await startStack({ dataFolder, environment: { TOLLGATE_SANDBOX: 'on' } });
  try {
    const times = await measure(stack, Number(values.requests));
    const slowest = Object.entries(times).map(([path, samples]) => {
      const { p50, p99 } = percentiles(samples);
      console.log(
        `${path.padEnd(12)} p50 ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms over ${samples.length} answers`,
      );
      return p99;
    });
    process.exitCode = slowest.every((p99) => p99 < targetMs) ? 0 : 1;
  } finally {
    await stack.stop();
    rmSync(dataFolder, { recursive: true, force: true });
  }
}

async function measure(stack: Stack, requests: number): Promise<Record<'/v1/usage' | '/api/metrics', number[]>> {
  const { apiKey } = await stack.createKey({ name: 'freshness', plan: 'enterprise', rpm: null, quotaTokens: 1e9 });
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
  const times = { '/v1/usage': [] as number[], '/api/metrics': [] as number[] };
  for (let number = 1; number <= requests; number++) {
    const { used } = usage.parse(await get(stack, '/v1/usage', headers));
    const response = await fetch(`${stack.baseUrl}/v1/chat/completions`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ model: 'openai/gpt-5.4-mini', messages: [{ role: 'user', content: `Number ${number}` }] }),
    });
    if (!response.ok) throw new Error(`A completion was answered ${response.status}.`);
    await response.arrayBuffer();
    const endedAt = performance.now();
    await Promise.all([
      until(async () => usage.parse(await get(stack, '/v1/usage', headers)).used > used),
      until(async () => report.parse(await get(stack, '/api/metrics', headers)).totals.requests >= number),
    ]).then(([usageAt, metricsAt]) => {
      times['/v1/usage'].push(usageAt - endedAt);
      times['/api/metrics'].push(metricsAt - endedAt);
    });
  }
  return times;
}

async function get(stack: Stack, path: string, headers: Record<string, string>): Promise<unknown> {
  return (await fetch(`${stack.baseUrl}${path}`, { headers })).json();
}

/** When it was first seen to hold, milliseconds of the steady clock. */
async function until(holds: () => Promise<boolean>): Promise<number> {
  for (;;) {
    if (await holds()) return performance.now();
    await delay(pollMs);
  }
}

void main();
