import {
  accountsOperations,
  budgetLeaseOperations,
  budgetOperations,
  decimalFromNanoUsd,
  digestOfName,
  meteringOperations,
  nanoUsdFromDecimal,
} from '@tollgate/contracts';
import type { BudgetState } from '@tollgate/contracts';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { fetch } from 'undici';
import type { Stack } from '../../stack/stack';

/** Amounts in nano-dollars. */
export interface BudgetsProof {
  requests: number;
  answered: number;
  kills: string[];
  limit: bigint;
  /** The most that one request may cost, as edge reckons it. */
  bound: bigint;
  /**
   * When all was stored, of the budget, or of the part of each end user; and what the report of the key says.
   */
  spent: bigint[];
  reported: bigint;
  /**
   * Milliseconds from the last answer until nothing was held; null: something still was after two minutes.
   */
  heldUntilMs: number | null;
  /** How many of those were used up in the time of the proof. */
  usedUp: number;
  /**
   * Whether each could be spent: at least 98 % of it, or all but less than one more request may cost.
   */
  isUsable: boolean;
  holds: boolean;
}

export interface BudgetsProofOptions {
  callers: number;
  /** 0: it is one budget; else each of so many end users has it alone. */
  endUsers: number;
  /** So many requests it has room for, each at the most that one may cost. */
  room: number;
  kills: string[];
  everyMs: number;
  onProgress: (line: string) => void;
}

type Standing = Pick<BudgetState, 'spentNanoUsd' | 'heldNanoUsd'>;

const model = 'openai/gpt-5.4-mini';
const heldAtMostMs = 120_000;
/** What an edge held that was killed is free again when its lease has ended: a minute and a half. */
const usedUpWithinMs = 300_000;
/** Whoever is refused or meets what was killed comes again after so long. */
const againMs = 250;

/**
 * Nobody can overspend a budget of money by asking at once, over any number of edges, while what counts it is
 * killed; and what it held is free again.
 */
export async function proveBudgets(stack: Stack, options: BudgetsProofOptions): Promise<BudgetsProof> {
  const { callers, endUsers, room, kills, everyMs, onProgress } = options;
  const users = Array.from({ length: endUsers }, (_, index) => `user-${index}`);
  /** Who have it alone; of one budget, nobody in particular. */
  const parts: readonly (string | null)[] = endUsers > 0 ? users : [null];
  const { apiKey, keyId, accountId } = await buyer(stack);
  const bound = await boundOf(stack, accountId, apiKey);
  const limit = bound * BigInt(room);
  const window = endUsers > 0 ? 'month' : 'total';
  const each = endUsers > 0 ? ({ by: 'end_user', names: '*' } as const) : null;
  const wish = { accountId, name: 'proof', limitUsd: decimalFromNanoUsd(limit), window, each } as const;
  const { budget } = await stack.call(budgetOperations.create, wish);
  await delay(1_000);
  onProgress(
    `${callers} callers at once, over ${stack.baseUrls.length} edges, on $${wish.limitUsd}${endUsers > 0 ? ` for each of ${endUsers} end users` : ''}: room for ${room}.`,
  );
  const tally = { requests: 0, answered: 0 };
  let isOver = false;
  const usedUp = new Set<string | null>();
  const asking = Array.from({ length: callers }, async (_, caller) => {
    const user = parts[caller % parts.length] ?? null;
    for (let edge = caller; !isOver; edge++) {
      const answer = await ask(stack, edge, apiKey, user);
      tally.requests++;
      if (answer.status === 200) tally.answered++;
      if (answer.text.includes('budget_exhausted')) return void usedUp.add(user);
      if (answer.status !== 200) await delay(againMs);
    }
  });
  for (const name of kills) {
    await delay(everyMs);
    onProgress(`Killing ${name}.`);
    stack.process(name).kill('SIGKILL');
  }
  await Promise.race([Promise.all(asking), delay(usedUpWithinMs)]);
  isOver = true;
  await Promise.all(asking);
  const endedAt = Date.now();
  onProgress(`${tally.answered} of ${tally.requests} requests were answered; waiting for what is held.`);
  const { heldUntilMs, spent } = await untilNothingIsHeld(stack, budget.id, parts, endedAt);
  const { totals } = await stack.call(meteringOperations.metrics, { keyId, period: 'day' });
  const reported = BigInt(totals.costNanoUsd);
  const isUsable = spent.every((one) => limit - one < bound || one * 100n >= limit * 98n);
  const isWithin = spent.every((one) => one > 0n && one <= limit);
  const isExact = spent.reduce((sum, one) => sum + one, 0n) === reported;
  const holds = isWithin && isExact && heldUntilMs !== null && isUsable && usedUp.size === parts.length;
  return { ...tally, kills, limit, bound, spent, reported, heldUntilMs, usedUp: usedUp.size, isUsable, holds };
}

async function buyer(stack: Stack): Promise<{ apiKey: string; keyId: string; accountId: string }> {
  const email = 'budgets@example.org';
  const { account } = await stack.call(accountsOperations.requestAccess, { name: 'budgets', email });
  const active = { account: account.id, status: 'active', plan: 'enterprise' } as const;
  await stack.call(accountsOperations.setAccountStatus, active);
  const { apiKey, key } = await stack.createKey({ name: 'b', email, plan: 'enterprise', rpm: null, quotaTokens: null });
  return { apiKey, keyId: key.id, accountId: account.id };
}

/** What a request may cost is told to whose whole budget is less. */
async function boundOf(stack: Stack, accountId: string, apiKey: string): Promise<bigint> {
  const wish = { accountId, name: 'nearly nothing', limitUsd: '0.000000001', window: 'total' } as const;
  const { budget } = await stack.call(budgetOperations.create, wish);
  for (const giveUpAt = Date.now() + 10_000; Date.now() < giveUpAt; await delay(againMs)) {
    const { text } = await ask(stack, 0, apiKey, null);
    const told = /may cost up to \$([\d.]*\d)/.exec(text)?.[1];
    if (told === undefined) continue;
    await stack.call(budgetOperations.remove, { budgetId: budget.id });
    return nanoUsdFromDecimal(told);
  }
  throw new Error('The bound of a request was not told.');
}

async function untilNothingIsHeld(
  stack: Stack,
  budgetId: string,
  parts: readonly (string | null)[],
  endedAt: number,
): Promise<{ heldUntilMs: number | null; spent: bigint[] }> {
  for (;;) {
    const states = await Promise.all(parts.map((user) => stateOf(stack, budgetId, user)));
    const passedMs = Date.now() - endedAt;
    const spent = states.map((state) => BigInt(state?.spentNanoUsd ?? 0));
    if (states.every((state) => state?.heldNanoUsd === '0')) return { heldUntilMs: passedMs, spent };
    if (passedMs > heldAtMostMs) return { heldUntilMs: null, spent };
    await delay(500);
  }
}

/** Undefined: nobody could tell just now. */
async function stateOf(stack: Stack, budgetId: string, user: string | null): Promise<Standing | undefined> {
  if (user !== null) return partOf(stack.databaseUrl, budgetId, digestOfName(user)).catch(() => undefined);
  const reply = await stack.call(budgetLeaseOperations.states, { budgetIds: [budgetId] }).catch(() => null);
  return reply?.states[budgetId];
}

/** How the part of a name stands, in the month at hand: nothing tells it but the tables of metering. */
async function partOf(databaseUrl: string, budgetId: string, nameDigest: string): Promise<Standing | undefined> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<Standing>(
      `SELECT
         (SELECT coalesce(sum(spent_nano_usd), 0)::text FROM budget_name_spent WHERE budget_id = $1 AND name_digest = $2) AS "spentNanoUsd",
         (SELECT coalesce(sum(held_nano_usd), 0)::text FROM budget_lease WHERE budget_id = $1 AND name_digest = $2) AS "heldNanoUsd"`,
      [budgetId, nameDigest],
    );
    return rows[0];
  } finally {
    await client.end();
  }
}

/** Status 0: the edge was not there, or went away. */
async function ask(
  stack: Stack,
  edge: number,
  apiKey: string,
  user: string | null,
): Promise<{ status: number; text: string }> {
  try {
    const answer = await fetch(`${stack.baseUrls[edge % stack.baseUrls.length] ?? ''}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        model,
        messages: [{ role: 'user', content: 'Hi. [[sandbox: tokens=100]]' }],
        max_tokens: 100,
        ...(user !== null && { user }),
      }),
      signal: AbortSignal.timeout(30_000),
    });
    return { status: answer.status, text: await answer.text() };
  } catch {
    return { status: 0, text: '' };
  }
}
