import { accountsOperations } from '@tollgate/contracts/accounts';
import { catalogOperations } from '@tollgate/contracts/catalog';
import { budgetLeaseOperations, budgetOperations } from '@tollgate/contracts/metering';
import type { BudgetEach, BudgetState } from '@tollgate/contracts/metering';
import { eventually, patience } from '@tollgate/testing';
import { startTestStack } from './test-stack';
import type { TestStack } from './test-stack';

const nanosPerUsd = 1_000_000_000n;

let test: TestStack;
beforeAll(async () => {
  test = await startTestStack({ instances: { edge: 2, metering: 2 } });
});
afterAll(() => test?.stop());

interface Buyer {
  accountId: string;
  keyId: string;
  apiKey: string;
}

/** A key without other limits, of an account of its own. */
async function buyer(name: string, project: string | null = null): Promise<Buyer> {
  const email = `${name}@example.org`;
  const { account } = await test.stack.call(accountsOperations.requestAccess, { name, email });
  const active = { account: account.id, status: 'active', plan: 'enterprise' } as const;
  await test.stack.call(accountsOperations.setAccountStatus, active);
  const { apiKey, key } = await keyOf(email, project);
  return { accountId: account.id, keyId: key.id, apiKey };
}

function keyOf(email: string, project: string | null) {
  return test.stack.createKey({ name: email, email, project, plan: 'enterprise', rpm: null, quotaTokens: null });
}

async function limit(wish: {
  accountId: string;
  keyId?: string;
  project?: string;
  name: string;
  limitUsd?: string;
  limitTokens?: number;
  window: 'total' | 'month';
  soft?: boolean;
  models?: string[];
  each?: BudgetEach;
}) {
  const { budget } = await test.stack.call(budgetOperations.create, wish);
  return budget.id;
}

async function stateOf(id: string): Promise<BudgetState> {
  const { states } = await test.stack.call(budgetLeaseOperations.states, { budgetIds: [id] });
  const state = states[id];
  if (!state) throw new Error('there is no such budget');
  return state;
}

/** What the key is told of its budgets. */
async function standing(apiKey: string, query = '') {
  const answer = await fetch(`${test.stack.baseUrl}/v1/usage${query}`, {
    headers: { authorization: `Bearer ${apiKey}` },
  });
  expect(answer.status).toBe(200);
  const { budgets } = (await answer.json()) as { budgets: { name: string; spent_usd: string }[] };
  return budgets;
}

function ask(edge: number, apiKey: string, path = '/v1/chat/completions', body: object = {}): Promise<Response> {
  const edges = test.stack.baseUrls;
  return fetch(`${edges[edge % edges.length]}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'openai/gpt-5.4-mini',
      messages: [{ role: 'user', content: 'tokens=100' }],
      max_tokens: 100,
      ...body,
    }),
  });
}

/**
 * Sends requests one after another until one is refused for good; those that only others keep out, or that
 * come too fast for the machine, come again.
 */
async function spendAll(edge: number, apiKey: string, onAnswer: (status: number) => void): Promise<string | null> {
  let last = '';
  for (let refusals = 0; refusals < 60 * patience;) {
    const answer = await ask(edge, apiKey);
    const text = await answer.text();
    onAnswer(answer.status);
    if (answer.ok) continue;
    if (answer.status !== 429 && answer.status !== 503) return text;
    if (text.includes('budget_exhausted')) return null;
    last = text;
    refusals++;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  return `refused again and again: ${last}`;
}

describe('a budget of a project and one of its account, over two edges', () => {
  it('are never overspent by sixty callers of two keys at once, and can be spent to the last request', async () => {
    const { accountId, apiKey } = await buyer('crowd', 'web');
    const ofProject = await limit({ accountId, project: 'web', name: 'web', limitUsd: '0.05', window: 'total' });
    const late = await keyOf('crowd@example.org', 'web');
    const ofAccount = await limit({ accountId, name: 'account', limitUsd: '1', window: 'month' });
    let over = 0n;
    let isDone = false;
    const watching = (async () => {
      while (!isDone) {
        const { spentNanoUsd, heldNanoUsd, limitNanoUsd } = await stateOf(ofProject);
        const beyond = BigInt(spentNanoUsd) + BigInt(heldNanoUsd) - BigInt(limitNanoUsd);
        if (beyond > over) over = beyond;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    })();
    let answered = 0;
    const problems = await Promise.all(
      Array.from({ length: 60 }, (_, caller) =>
        spendAll(caller, caller % 4 < 2 ? apiKey : late.apiKey, (status) => (answered += status === 200 ? 1 : 0)),
      ),
    );
    isDone = true;
    await watching;
    expect(problems.filter((problem) => problem !== null)).toEqual([]);
    expect(over).toBe(0n);
    const state = await stateOf(ofProject);
    const spent = BigInt(state.spentNanoUsd);
    expect(spent).toBeLessThanOrEqual(nanosPerUsd / 20n);
    // What is left is less than one request may cost.
    expect(spent).toBeGreaterThan(((nanosPerUsd / 20n) * 95n) / 100n);
    expect((await stateOf(ofAccount)).spentNanoUsd).toBe(state.spentNanoUsd);
    expect(answered).toBeGreaterThan(10);
    const usage = await fetch(`${test.stack.baseUrl}/v1/usage`, {
      headers: { authorization: `Bearer ${late.apiKey}` },
    });
    expect(await usage.json()).toMatchObject({
      budgets: [
        { name: 'web', limit_usd: '0.05', resets_at: null },
        { name: 'account', limit_usd: '1', resets_at: expect.stringMatching(/-01T00:00:00\.000Z$/) },
      ],
    });
  }, 120_000);
});

describe('a soft budget that is used up', () => {
  it('is told with each answer, by the model that it names for that, or by the one that was asked for', async () => {
    const { accountId, apiKey } = await buyer('soft');
    const budgetId = await limit({ accountId, name: 'Töpfe, 1', limitUsd: '0', window: 'total', soft: true });
    const told = (path?: string) =>
      eventually(
        () => ask(0, apiKey, path),
        ({ headers }) => headers.has('x-tollgate-budget-exceeded'),
        5_000,
      );
    const served = await told();
    expect(served.status).toBe(200);
    expect(served.headers.get('x-tollgate-budget-exceeded')).toBe('T%C3%B6pfe%2C 1');
    expect(served.headers.get('x-gateway-warnings')).toContain('over budget');
    expect(served.headers.get('x-gateway-model')).toBe('openai/gpt-5.4-mini');
    await test.stack.call(budgetOperations.update, { budgetId, fallbackModel: 'openai/gpt-5.4-nano' });
    const instead = await eventually(
      () => ask(0, apiKey, '/v1/messages'),
      ({ headers }) => headers.get('x-gateway-model') === 'openai/gpt-5.4-nano',
      5_000,
    );
    expect(instead.status).toBe(200);
    expect(instead.headers.get('x-gateway-warnings')).toContain('openai/gpt-5.4-nano serves instead');
    const wrong = test.stack.call(budgetOperations.update, { budgetId, fallbackModel: 'openai/no-such-model' });
    await expect(wrong).rejects.toThrow('the catalog has no model "openai/no-such-model"');
    const gone = { model: 'mistral/mistral-large-2512', enabled: false };
    await test.stack.call(catalogOperations.setModelEnabled, gone);
    await test.stack.call(budgetOperations.update, { budgetId, fallbackModel: gone.model });
    const refused = await eventually(
      () => ask(0, apiKey),
      ({ status }) => status === 429,
      5_000,
    );
    expect(refused.headers.get('x-should-retry')).toBe('false');
    expect(await refused.text()).toContain('cannot serve this');
  });
});

describe('a budget of some models', () => {
  it('refuses these and no other, and counts nothing of others', async () => {
    const { accountId, apiKey } = await buyer('models');
    const models = ['openai/*-mini'];
    await limit({ accountId, name: 'mini', limitUsd: '0', window: 'total', models });
    const all = await limit({ accountId, name: 'all', limitUsd: '1', window: 'total' });
    const answers = (model: string) => ask(0, apiKey, '/v1/chat/completions', { model });
    const refused = await eventually(
      () => answers('gpt-5.4-mini'),
      ({ status }) => status === 429,
      5_000,
    );
    expect(await refused.json()).toMatchObject({ error: { details: { budget: 'mini' } } });
    expect((await answers('openai/gpt-5.4-nano')).status).toBe(200);
    const state = await eventually(
      () => stateOf(all),
      ({ spentNanoUsd }) => spentNanoUsd !== '0',
      5_000,
    );
    const some = await limit({ accountId, name: 'nano', limitUsd: '1', window: 'month', models: ['*nano*'] });
    expect((await stateOf(some)).spentNanoUsd).toBe(state.spentNanoUsd);
    const usage = await fetch(`${test.stack.baseUrl}/v1/usage`, { headers: { authorization: `Bearer ${apiKey}` } });
    expect(await usage.json()).toMatchObject({
      budgets: [{ name: 'mini', models }, { name: 'all' }, { name: 'nano' }],
    });
  });
});

describe('a budget in tokens', () => {
  it('lets through what is left of them, refuses then as one in dollars does, and says so in tokens', async () => {
    const { accountId, apiKey } = await buyer('tokens');
    const budgetId = await limit({ accountId, name: 'of tokens', limitTokens: 400, window: 'month' });
    // What is served before the edge knows of it would be over it.
    await eventually(
      () => standing(apiKey),
      (budgets) => Array.isArray(budgets),
    );
    const refused = await eventually(
      async () => {
        const answer = await ask(0, apiKey);
        return { answer, text: await answer.text() };
      },
      ({ text }) => text.includes('budget_exhausted'),
      20_000,
    );
    expect(refused.answer.status).toBe(429);
    expect(refused.answer.headers.get('x-tollgate-limit')).toBe('budget');
    const details = { budget: 'of tokens', resets_at: expect.any(String) };
    expect(JSON.parse(refused.text)).toMatchObject({ error: { type: 'rate_limit_error', code: 429, details } });
    const messages = await ask(0, apiKey, '/v1/messages');
    expect(await messages.json()).toMatchObject({ type: 'error', error: { type: 'billing_error' } });
    const { spentNanoUsd } = await stateOf(budgetId);
    expect(Number(spentNanoUsd)).toBeGreaterThan(200);
    expect(Number(spentNanoUsd)).toBeLessThanOrEqual(400);
    expect(await standing(apiKey)).toMatchObject([{ limit_tokens: 400, spent_tokens: Number(spentNanoUsd) }]);
    const large = await ask(0, apiKey, undefined, { max_tokens: 1_000 });
    expect(large.status).toBe(400);
    expect(await large.text()).toContain('400 tokens');
  });
});

describe('a refusal by a budget', () => {
  it('names it, and says that waiting does not help; Anthropic’s clients are told of money', async () => {
    const { accountId, apiKey } = await buyer('spent');
    await limit({ accountId, name: 'nothing', limitUsd: '0', window: 'total' });
    const refused = async (path?: string) => {
      const answer = await eventually(
        () => ask(0, apiKey, path),
        ({ status }) => status !== 200,
        5_000,
      );
      expect(answer.status).toBe(429);
      expect(answer.headers.get('x-tollgate-limit')).toBe('budget');
      expect(answer.headers.get('x-should-retry')).toBe('false');
      expect(answer.headers.get('retry-after')).toBeNull();
      return answer.json();
    };
    const details = { reason: 'budget_exhausted', budget: 'nothing', resets_at: null };
    expect(await refused()).toMatchObject({ error: { type: 'rate_limit_error', code: 429, details } });
    expect(await refused('/v1/messages')).toMatchObject({ type: 'error', error: { type: 'billing_error' } });
  });

  it('is of the end user alone whose part of a budget is used up', async () => {
    const { accountId, keyId, apiKey } = await buyer('users');
    const each = { by: 'end_user', names: '*' } as const;
    await limit({ accountId, name: 'each user', limitUsd: '0.002', window: 'month', each });
    await limit({ accountId, keyId, name: 'of this key', limitUsd: '1', window: 'month', each });
    const asking = (user: string | undefined) => ask(0, apiKey, undefined, { user });
    const refused = await eventually(
      () => asking('ann'),
      ({ status }) => status !== 200,
      20_000,
    );
    const details = { budget: 'each user', budget_of: 'ann' };
    expect(await refused.json()).toMatchObject({ error: { code: 429, details } });
    expect((await asking('bob')).status).toBe(200);
    expect((await asking(undefined)).status).toBe(200);
    // Whom the account's other keys serve is not told to this one.
    const nearest = await eventually(
      () => standing(apiKey),
      (parts) => parts.length === 2,
      5_000,
    );
    expect(nearest).toMatchObject([
      { name: 'of this key', budget_of: 'ann', limit_usd: '1' },
      { name: 'of this key', budget_of: 'bob' },
    ]);
    const ofAnn = await eventually(
      () => standing(apiKey, '?end_user=ann'),
      ([one, other]) => one?.spent_usd === other?.spent_usd,
      5_000,
    );
    expect(ofAnn).toMatchObject([
      { name: 'each user', budget_of: 'ann', limit_usd: '0.002' },
      { name: 'of this key', budget_of: 'ann' },
    ]);
    expect(await standing(apiKey, '?tag=ann')).toEqual([]);
  });

  it('is over when the budget is raised or removed', async () => {
    const { accountId, apiKey } = await buyer('raised');
    const budgetId = await limit({ accountId, name: 'small', limitUsd: '0', window: 'month' });
    const becomes = (wanted: number) =>
      eventually(
        () => ask(0, apiKey),
        ({ status }) => status === wanted,
        5_000,
      );
    await becomes(429);
    await test.stack.call(budgetOperations.update, { budgetId, limitUsd: '1' });
    await becomes(200);
    await test.stack.call(budgetOperations.update, { budgetId, limitUsd: '0' });
    await becomes(429);
    await test.stack.call(budgetOperations.remove, { budgetId });
    await becomes(200);
  });
});
