import { accountsOperations } from '@tollgate/contracts';
import { setTimeout as delay } from 'node:timers/promises';
import { eventually, startTestStack } from './test-stack';
import type { TestStack } from './test-stack';

let test: TestStack;

const complete = (apiKey: string) =>
  fetch(`${test.stack.baseUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'openai/gpt-5.4-mini', messages: [{ role: 'user', content: 'Hi' }] }),
  });

beforeAll(async () => (test = await startTestStack()));
afterAll(() => test.stop());

it('admits 60 of 61 requests at once on a beta key, and the next one after exactly Retry-After seconds', async () => {
  const { apiKey } = await test.stack.createKey({ name: 'burst', plan: 'beta' });
  const responses = await Promise.all(Array.from({ length: 61 }, () => complete(apiKey)));
  const refused = responses.filter(({ status }) => status === 429);
  expect(responses.filter(({ status }) => status === 200)).toHaveLength(60);
  expect(refused).toHaveLength(1);
  const [response] = refused;
  const retryAfter = Number(response?.headers.get('retry-after'));
  expect(await response?.json()).toEqual({
    error: {
      message: `rate limit exceeded, retry after ${retryAfter} seconds`,
      type: 'rate_limit_error',
      code: 429,
    },
  });
  expect(retryAfter).toBeGreaterThan(0);
  expect(retryAfter).toBeLessThanOrEqual(60);
  await delay(retryAfter * 1000);
  expect((await complete(apiKey)).status).toBe(200);
}, 120_000);

it('refuses a revoked key within a second', async () => {
  const { apiKey, key } = await test.stack.createKey({ name: 'gone', plan: 'pro' });
  expect((await complete(apiKey)).status).toBe(200);
  await test.stack.call(accountsOperations.revokeKey, { keyId: key.id });
  const status = async () => (await complete(apiKey)).status;
  expect(await eventually(status, (value) => value === 401, 1_000)).toBe(401);
});
