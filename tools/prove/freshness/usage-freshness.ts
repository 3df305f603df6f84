import { z } from 'zod';
import type { Stack } from '../../stack/stack';
import { until } from './until';

const usage = z.object({ used: z.number() });
const report = z.object({ totals: z.object({ requests: z.number() }) });

/**
 * Who looks asks again after so long: a killed metering does not answer who asked it in its last moment,
 * which edge tells them after three seconds. It says nothing of when usage is there.
 */
const lookMs = 500;

/** Milliseconds from the end of each answer until usage and metrics tell it. */
export async function usageFreshness(stack: Stack, requests: number): Promise<Record<string, number[]>> {
  const caller = await Reader.withKeyOf(stack);
  const times = { '/v1/usage': [] as number[], '/api/metrics': [] as number[] };
  for (let number = 1; number <= requests; number++) {
    let used: number | null = null;
    while (used === null) used = await caller.used();
    const before = used;
    await caller.ask(number);
    const endedAt = performance.now();
    const [usageAt, metricsAt] = await Promise.all([
      until(async () => ((await caller.used()) ?? 0) > before),
      until(async () => ((await caller.counted()) ?? 0) >= number),
    ]);
    times['/v1/usage'].push(usageAt - endedAt);
    times['/api/metrics'].push(metricsAt - endedAt);
  }
  return times;
}

/**
 * Asked at once before a metering is killed, so that it has taken some of their usage, and stored none of it.
 */
const atOnce = 10;

/**
 * Milliseconds from a kill of a metering, in the moment in which requests have been answered, until metrics
 * tell all of them. The instances are killed in turn, and the next one when all are back.
 */
export async function killedFreshness(stack: Stack, kills: number): Promise<Record<string, number[]>> {
  const instances = [...stack.processes.values()].filter(({ name }) => name.startsWith('metering'));
  const times: number[] = [];
  for (let number = 0; number < kills; number++) {
    const caller = await Reader.withKeyOf(stack);
    await Promise.all(Array.from({ length: atOnce }, (_, each) => caller.ask(each)));
    const killed = instances[number % instances.length];
    killed?.kill('SIGKILL');
    const killedAt = performance.now();
    times.push((await until(async () => (await caller.counted()) === atOnce)) - killedAt);
    await killed?.ready();
  }
  return { 'metering killed': times };
}

/** Somebody who asks, and looks what it used; null where nobody answered that. */
class Reader {
  static async withKeyOf(stack: Stack): Promise<Reader> {
    const { apiKey } = await stack.createKey({ name: 'freshness', plan: 'enterprise', rpm: null, quotaTokens: 1e9 });
    return new Reader(stack.baseUrl, { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' });
  }

  private constructor(
    private readonly baseUrl: string,
    private readonly headers: Record<string, string>,
  ) {}

  async used(): Promise<number | null> {
    return usage.safeParse(await this.get('/v1/usage')).data?.used ?? null;
  }

  async counted(): Promise<number | null> {
    return report.safeParse(await this.get('/api/metrics')).data?.totals.requests ?? null;
  }

  /** @throws Error when it is not answered. */
  async ask(number: number): Promise<void> {
    const response = await fetch(`${this.baseUrl}/v1/chat/completions`, {
      method: 'POST',
      headers: this.headers,
      body: JSON.stringify({ model: 'openai/gpt-5.4-mini', messages: [{ role: 'user', content: `Number ${number}` }] }),
    });
    if (!response.ok) throw new Error(`A completion was answered ${response.status}.`);
    await response.arrayBuffer();
  }

  /** Null: no answer came while it was waited for. */
  private async get(path: string): Promise<unknown> {
    const signal = AbortSignal.timeout(lookMs);
    const response = await fetch(this.baseUrl + path, { headers: this.headers, signal }).catch(() => null);
    return response?.json().catch(() => null) ?? null;
  }
}
