import { accountsOperations } from '@tollgate/contracts/accounts';
import { eventually } from '@tollgate/testing';
import { setTimeout as delay } from 'node:timers/promises';
import type { TestStack } from '../test-stack';

let test: TestStack;
/** The status that a caller got who waited for exactly as long as it was told to, while other tests ran. */
let afterRetry: Promise<number | string>;

const complete = (apiKey: string) =>
  fetch(`${test.stack.baseUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'openai/gpt-5.4-mini', messages: [{ role: 'user', content: 'Hi' }] }),
  });

/** Counts like every request of a key, and is in no provider's books. */
async function listModels(apiKey: string): Promise<number> {
  const response = await fetch(`${test.stack.baseUrl}/v1/models`, { headers: { authorization: `Bearer ${apiKey}` } });
  await response.arrayBuffer();
  return response.status;
}

/** Begins what `limitsInTheEnd` ends. */
export function limits(shared: () => TestStack): void {
  beforeAll(() => {
    test = shared();
  });

  it('admits 60 of 61 requests at once on a beta key', async () => {
    const { apiKey } = await test.stack.createKey({ name: 'burst', plan: 'beta' });
    const responses = await Promise.all(Array.from({ length: 61 }, () => complete(apiKey)));
    const others = responses.filter(({ status }) => status !== 200);
    const texts = await Promise.all(others.map((response) => response.clone().text()));
    expect(others.map(({ status }, index) => (status === 429 ? status : texts[index]))).toEqual([429]);
    const [response] = others;
    const retryAfter = Number(response?.headers.get('retry-after'));
    afterRetry = delay(retryAfter * 1_000).then(() => listModels(apiKey).catch(String));
    expect(await response?.json()).toEqual({
      error: {
        message: `rate limit exceeded, retry after ${retryAfter} seconds`,
        type: 'rate_limit_error',
        code: 429,
      },
    });
    expect(retryAfter).toBeGreaterThan(0);
    expect(retryAfter).toBeLessThanOrEqual(60);
    expect(await listModels(apiKey)).toBe(429);
  });

  it('refuses a revoked key within a second', async () => {
    const { apiKey, key } = await test.stack.createKey({ name: 'gone', plan: 'pro' });
    expect((await complete(apiKey)).status).toBe(200);
    await test.stack.call(accountsOperations.revokeKey, { keyId: key.id });
    const status = async () => (await complete(apiKey)).status;
    expect(await eventually(status, (value) => value === 401, 1_000)).toBe(401);
  });
}

export function limitsInTheEnd(): void {
  it('admits the next request after exactly Retry-After seconds', async () => {
    expect(await afterRetry).toBe(200);
  });
}
