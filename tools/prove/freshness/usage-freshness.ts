import { z } from 'zod';
import type { Stack } from '../../stack/stack';
import { until } from './until';

const usage = z.object({ used: z.number() });
const report = z.object({ totals: z.object({ requests: z.number() }) });

/** Milliseconds from the end of each answer until usage and metrics tell it. */
export async function usageFreshness(stack: Stack, requests: number): Promise<Record<string, number[]>> {
  const { apiKey } = await stack.createKey({ name: 'freshness', plan: 'enterprise', rpm: null, quotaTokens: 1e9 });
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
  const get = async (path: string): Promise<unknown> => (await fetch(stack.baseUrl + path, { headers })).json();
  const times = { '/v1/usage': [] as number[], '/api/metrics': [] as number[] };
  for (let number = 1; number <= requests; number++) {
    const { used } = usage.parse(await get('/v1/usage'));
    const response = await fetch(`${stack.baseUrl}/v1/chat/completions`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ model: 'openai/gpt-5.4-mini', messages: [{ role: 'user', content: `Number ${number}` }] }),
    });
    if (!response.ok) throw new Error(`A completion was answered ${response.status}.`);
    await response.arrayBuffer();
    const endedAt = performance.now();
    const [usageAt, metricsAt] = await Promise.all([
      until(async () => usage.parse(await get('/v1/usage')).used > used),
      until(async () => report.parse(await get('/api/metrics')).totals.requests >= number),
    ]);
    times['/v1/usage'].push(usageAt - endedAt);
    times['/api/metrics'].push(metricsAt - endedAt);
  }
  return times;
}
