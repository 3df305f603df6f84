import { accountsOperations } from '@tollgate/contracts/accounts';
import type { Stack } from '../../stack/stack';
import { Load } from '../load';
import { steadyRequests } from '../steady-request';
import { until } from './until';

const perSecond = 20;
const model = 'openai/gpt-5.4-mini';

/**
 * Milliseconds from the answer to a change of a key until every edge acts by it, while other callers ask all
 * edges: a new key works, a quota of nothing that is raised lets requests through, a revoked key is refused,
 * and the streams that it had open end.
 */
export async function keyFreshness(stack: Stack, rounds: number): Promise<Record<string, number[]>> {
  const { apiKey } = await stack.createKey({ name: 'load', plan: 'enterprise', rpm: null, quotaTokens: null });
  const end = new AbortController();
  const load = new Load(stack.baseUrls, apiKey, perSecond);
  const running = load.run(steadyRequests('freshness', end.signal));
  try {
    return await changeKeys(stack, rounds);
  } finally {
    end.abort();
    await running;
  }
}

async function changeKeys(stack: Stack, rounds: number): Promise<Record<string, number[]>> {
  const times = { 'new key': [] as number[], 'raised quota': [] as number[], 'revoked key': [] as number[] };
  const streams: number[] = [];
  const onEveryEdge = async (since: number, holds: (edge: string) => Promise<boolean>): Promise<number> =>
    Math.max(...(await Promise.all(stack.baseUrls.map((edge) => until(() => holds(edge)))))) - since;
  for (let round = 0; round < rounds; round++) {
    const { apiKey, key } = await stack.createKey({ name: 'fresh', plan: 'enterprise', rpm: null, quotaTokens: 0 });
    const caller = new Caller(apiKey);
    times['new key'].push(await onEveryEdge(performance.now(), async (edge) => (await caller.models(edge)) === 200));

    for (const edge of stack.baseUrls)
      if ((await caller.complete(edge)) === 200) throw new Error('A key without any quota was served.');
    await stack.call(accountsOperations.updateKey, { keyId: key.id, quotaTokens: 1_000_000_000 });
    times['raised quota'].push(
      await onEveryEdge(performance.now(), async (edge) => (await caller.complete(edge)) === 200),
    );

    const open = await Promise.all(stack.baseUrls.map((edge) => caller.openStream(edge)));
    await stack.call(accountsOperations.revokeKey, { keyId: key.id });
    const revokedAt = performance.now();
    const [untilRefused, ...ends] = await Promise.all([
      onEveryEdge(revokedAt, async (edge) => (await caller.models(edge)) === 401),
      ...open.map(({ ended }) => ended),
    ]);
    times['revoked key'].push(untilRefused);
    streams.push(Math.max(...ends) - revokedAt);
  }
  return { ...times, 'its open streams': streams };
}

/** Somebody with a key. */
class Caller {
  constructor(private readonly apiKey: string) {}

  async models(edge: string): Promise<number> {
    const response = await fetch(`${edge}/v1/models`, { headers: this.headers });
    await response.arrayBuffer();
    return response.status;
  }

  async complete(edge: string): Promise<number> {
    const response = await this.generate(edge, 'Are we there?', false);
    await response.arrayBuffer();
    return response.status;
  }

  /**
   * Resolves when the first part of a stream of a minute came; `ended`: when it was over, however,
   * milliseconds of the steady clock.
   */
  async openStream(edge: string): Promise<{ ended: Promise<number> }> {
    const response = await this.generate(edge, 'For long. [[sandbox: tokens=2000 delay_ms=30]]', true);
    const reader = response.body?.getReader();
    if (!response.ok || !reader) throw new Error(`A stream was answered ${response.status}.`);
    await reader.read();
    const rest = async (): Promise<void> => {
      while (!(await reader.read()).done);
    };
    const over = () => performance.now();
    return { ended: rest().then(over, over) };
  }

  private generate(edge: string, content: string, stream: boolean): Promise<Response> {
    const body = JSON.stringify({ model, stream, messages: [{ role: 'user', content }] });
    return fetch(`${edge}/v1/chat/completions`, { method: 'POST', headers: this.headers, body });
  }

  private get headers(): Record<string, string> {
    return { authorization: `Bearer ${this.apiKey}`, 'content-type': 'application/json' };
  }
}
