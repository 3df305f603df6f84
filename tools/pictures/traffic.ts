import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { Person } from '../prove/web/person';
import type { Stack } from '../stack/stack';

const newKey = z.object({ apiKey: z.string(), key: z.object({ id: z.string(), accountId: z.string() }) });
const newBudget = z.object({ budget: z.object({ id: z.string() }) });
const requestPage = z.object({ data: z.array(z.object({ id: z.string() })) });

/** What the addresses of pages name. */
export interface Names {
  accountId: string;
  keyId: string;
  requestId: string;
  budgetId: string;
  /** One that each end user has alone. */
  dividedBudgetId: string;
}

const models = [
  'openai/gpt-5.4-mini',
  'anthropic/claude-sonnet-5',
  'google/gemini-3.8-flash',
  'mistral/mistral-large-4',
];
const users = ['ann', 'bob', 'claire'];
const bookedMs = 3_000;

/** A key with a few requests that went well, and some that did not. */
export async function makeTraffic(stack: Stack, admin: Person): Promise<Names> {
  const made = await admin.mustPost('/api/keys', { name: 'Notes', expiresAt: null, models: [] });
  const { apiKey, key } = newKey.parse(made);
  await admin.ask('PATCH', `/api/admin/keys/${key.id}`, { project: 'search' });
  const budgetIds = await setBudgets(admin, key.id);
  const ask = async (model: string, content: string, number: number) => {
    const answer = await fetch(`${stack.baseUrl}/v1/chat/completions`, {
      method: 'POST',
      headers: {
        ...{ authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
        ...{ 'x-tollgate-tags': `team=${number % 2 ? 'search' : 'support'}`, 'x-session-id': `session-${number % 5}` },
      },
      body: JSON.stringify({
        model,
        user: users[number % users.length],
        stream: number % 2 === 0,
        messages: [{ role: 'user', content }],
      }),
    });
    await answer.arrayBuffer();
  };
  for (let number = 0; number < 40; number++) {
    const model = models[number % models.length] ?? '';
    const fault =
      number % 10 === 3 ? ' [[sandbox: fault=503]]' : number % 10 === 7 ? ' [[sandbox: fault=error_mid at=5]]' : '';
    // Streamed answers come slowly enough to be measured.
    const pace = number % 2 === 0 ? ' [[sandbox: delay_ms=10]]' : '';
    await ask(model, `Tell me about gates. ${number}${fault}${pace}`, number);
  }
  await ask('nobody/knows-it', 'Hello', 0);
  await sleep(bookedMs);
  const listed = await admin.ask('GET', `/api/reports/requests?startAt=0&endAt=${Date.now()}&state=failed&limit=1`);
  const [request] = requestPage.parse(await listed.json()).data;
  return { accountId: key.accountId, keyId: key.id, requestId: request?.id ?? '', ...budgetIds };
}

/** Budgets of every kind: one that is nearly spent, some that are not, one of each end user. */
async function setBudgets(admin: Person, keyId: string): Promise<Pick<Names, 'budgetId' | 'dividedBudgetId'>> {
  const set = async (wish: object) => {
    const made = await admin.mustPost('/api/admin/budgets', { accountId: admin.email, window: 'month', ...wish });
    return newBudget.parse(made).budget.id;
  };
  const soft = { soft: true, fallbackModel: 'openai/gpt-5.4-nano' };
  await set({ name: 'opus', limitUsd: '100', models: ['anthropic/*opus*'], timeZone: 'Europe/Berlin' });
  await set({ name: 'wish', limitUsd: '20', window: '24h', ...soft });
  await set({ name: 'ci', limitUsd: '0.5', window: 'day', keyId });
  const budgetId = await set({ name: 'team', limitUsd: '0.02', window: 'day', soft: true });
  const each = { by: 'end_user', names: '*' };
  return {
    budgetId,
    dividedBudgetId: await set({ name: 'each user', limitUsd: '0.002', window: 'day', soft: true, each }),
  };
}
