import { decimalFromNanoUsd, nanoUsdFromDecimal } from '@tollgate/contracts';
import { accountsOperations } from '@tollgate/contracts/accounts';
import {
  budgetLeaseOperations,
  budgetOperations,
  budgetAmount,
  meteringOperations,
} from '@tollgate/contracts/metering';
import type { BudgetState, BudgetUnit } from '@tollgate/contracts/metering';
import { setTimeout as delay } from 'node:timers/promises';
import { fetch } from 'undici';
import type { Stack } from '../../stack/stack';
import { spendEarlier } from './earlier-spending';
import { watchBudget } from './watch-budget';

/** Amounts in the unit of the budget, nano-dollars or tokens. */
export interface BudgetsProof {
  requests: number;
  answered: number;
  kills: string[];
  limit: bigint;
  /** The most that one request may cost, or use, as edge reckons it. */
  bound: bigint;
  /**
   * When all was stored, of the budget, or of the part of each end user; and what the reports of the keys
   * say.
   */
  spent: bigint[];
  reported: bigint;
  /**
   * Milliseconds from the last answer until nothing was held; null: something still was after two minutes.
   */
  heldUntilMs: number | null;
  /** The most by which spent and held together were more than the limit; of parts nobody looked. */
  over: bigint;
  /** Of a window that rolls, what was spent before, and when that left it; else null. */
  rolled: { earlier: bigint; isCounted: boolean; leavesAt: number } | null;
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
  unit: BudgetUnit;
  /** It is of a project of two keys, which half of the callers each have; else of the account, with one key. */
  isOfProject: boolean;
  /** 0: it is one budget; else each of so many end users has it alone. */
  endUsers: number;
  /** The budget's; null: a total, or a month where it is of end users. */
  window: string | null;
  /** So many requests it has room for, each at the most that one may cost. */
  room: number;
  kills: string[];
  everyMs: number;
  onProgress: (line: string) => void;
}

const model = 'openai/gpt-5.4-mini';
const heldAtMostMs = 120_000;
/** What an edge held that was killed is free again when its lease has ended: a minute and a half. */
const usedUpWithinMs = 300_000;
/** Whoever is refused or meets what was killed comes again after so long. */
const againMs = 250;

/**
 * Nobody can overspend a budget by asking at once, over any number of edges, while what counts it is
 * killed; and what it held is free again.
 */
export async function proveBudgets(stack: Stack, options: BudgetsProofOptions): Promise<BudgetsProof> {
  const { callers, unit, isOfProject, endUsers, room, kills, everyMs, onProgress } = options;
  const users = Array.from({ length: endUsers }, (_, index) => `user-${index}`);
  /** Who have it alone; of one budget, nobody in particular. */
  const parts: readonly (string | null)[] = endUsers > 0 ? users : [null];
  const { accountId, keys } = await buyer(stack, isOfProject);
  const [{ keyId, apiKey }] = keys;
  const bound = await boundOf(stack, unit, accountId, apiKey);
  const limit = bound * BigInt(room);
  const window = options.window ?? (endUsers > 0 ? 'month' : 'total');
  const each = endUsers > 0 ? ({ by: 'end_user', names: '*' } as const) : null;
  const earlier = /^\d/.test(window) ? limit / 2n : 0n;
  // It leaves a window of an hour, which has slices of a minute, in one or two.
  const spending = { keyId, accountId, model, unit, amount: earlier, atMs: Date.now() - 59 * 60_000 };
  if (earlier > 0n) await spendEarlier(stack.databaseUrl, spending);
  const wish = {
    accountId,
    name: 'proof',
    ...limitOf(unit, limit),
    window,
    each,
    ...(isOfProject && { project }),
  } as const;
  const { budget } = await stack.call(budgetOperations.create, wish);
  const leavesAt = earlier > 0n ? await leavingOf(stack, budget.id) : 0;
  await delay(1_000);
  onProgress(
    `${callers} callers at once, over ${stack.baseUrls.length} edges, on ${budgetAmount(unit, limit)}${isOfProject ? ' for a project of two keys' : ''}${endUsers > 0 ? ` for each of ${endUsers} end users` : ''}: room for ${room}.`,
  );
  const tally = { requests: 0, answered: 0 };
  let isOver = false;
  const usedUp = new Set<string | null>();
  const watching = watchBudget(
    () => stateOf(stack, budget.id, null),
    leavesAt,
    () => isOver,
  );
  const asking = Array.from({ length: callers }, async (_, caller) => {
    const user = parts[caller % parts.length] ?? null;
    for (let edge = caller; !isOver; edge++) {
      const answer = await ask(
        stack,
        edge,
        keys[Math.floor(caller / parts.length) % keys.length]?.apiKey ?? apiKey,
        user,
      );
      tally.requests++;
      if (answer.status === 200) tally.answered++;
      if (answer.text.includes('budget_exhausted') && Date.now() > leavesAt + againMs) return void usedUp.add(user);
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
  const { over, least } = await watching;
  const endedAt = Date.now();
  onProgress(`${tally.answered} of ${tally.requests} requests were answered; waiting for what is held.`);
  const { heldUntilMs, spent } = await untilNothingIsHeld(stack, budget.id, parts, endedAt);
  const reported = (await reportedOf(stack, unit, keys)) - earlier;
  const isUsable = spent.every((one) => limit - one < bound || one * 100n >= limit * 98n);
  const isWithin = spent.every((one) => one > 0n && one <= limit);
  const isExact = spent.reduce((sum, one) => sum + one, 0n) === reported;
  const rolled = earlier > 0n ? { earlier, isCounted: least !== null && least >= earlier, leavesAt } : null;
  const isNeverOver = over === 0n && rolled?.isCounted !== false;
  const holds = isNeverOver && isWithin && isExact && heldUntilMs !== null && isUsable && usedUp.size === parts.length;
  const found = { limit, bound, spent, reported, heldUntilMs, over, rolled };
  return { ...tally, kills, ...found, usedUp: usedUp.size, isUsable, holds };
}

const project = 'proof';

interface Key {
  apiKey: string;
  keyId: string;
}

async function buyer(stack: Stack, isOfProject: boolean): Promise<{ accountId: string; keys: [Key, ...Key[]] }> {
  const email = 'budgets@example.org';
  const { account } = await stack.call(accountsOperations.requestAccess, { name: 'budgets', email });
  const active = { account: account.id, status: 'active', plan: 'enterprise' } as const;
  await stack.call(accountsOperations.setAccountStatus, active);
  const make = async (name: string): Promise<Key> => {
    const limits = { plan: 'enterprise', rpm: null, quotaTokens: null };
    const { apiKey, key } = await stack.createKey({ name, email, ...limits, ...(isOfProject && { project }) });
    return { apiKey, keyId: key.id };
  };
  return { accountId: account.id, keys: isOfProject ? [await make('a'), await make('b')] : [await make('b')] };
}

const limitOf = (unit: BudgetUnit, limit: bigint) =>
  unit === 'usd' ? { limitUsd: decimalFromNanoUsd(limit) } : { limitTokens: Number(limit) };

/** What reports of the keys say, in the unit. */
async function reportedOf(stack: Stack, unit: BudgetUnit, keys: readonly Key[]): Promise<bigint> {
  let sum = 0n;
  for (const { keyId } of keys) {
    const { totals } = await stack.call(meteringOperations.metrics, { keyId, period: 'day' });
    sum += unit === 'usd' ? BigInt(totals.costNanoUsd) : BigInt(totals.inputTokens + totals.outputTokens);
  }
  return sum;
}

/** When what was spent before leaves the window, as the budget itself says. */
async function leavingOf(stack: Stack, budgetId: string): Promise<number> {
  const state = await stateOf(stack, budgetId, null);
  if (state?.resetsAt == null || state.spentNanoUsd === '0') throw new Error('What was spent before does not count.');
  return state.resetsAt;
}

/** What a request may cost is told to whose whole budget is less. */
async function boundOf(stack: Stack, unit: BudgetUnit, accountId: string, apiKey: string): Promise<bigint> {
  const wish = { accountId, name: 'nearly nothing', ...limitOf(unit, 1n), window: 'total' } as const;
  const { budget } = await stack.call(budgetOperations.create, wish);
  for (const giveUpAt = Date.now() + 10_000; Date.now() < giveUpAt; await delay(againMs)) {
    const { text } = await ask(stack, 0, apiKey, null);
    const [, dollars, tokens] = /may (?:cost up to \$([\d.]*\d)|use up to ([\d,]+) token)/.exec(text) ?? [];
    if (dollars === undefined && tokens === undefined) continue;
    await stack.call(budgetOperations.remove, { budgetId: budget.id });
    return dollars === undefined ? BigInt(tokens?.replaceAll(',', '') ?? '') : nanoUsdFromDecimal(dollars);
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
async function stateOf(stack: Stack, budgetId: string, user: string | null): Promise<BudgetState | undefined> {
  if (user !== null) {
    const wish = { budgetId, names: [user] };
    const told = await stack.call(budgetLeaseOperations.names, wish).catch(() => null);
    return told?.names[0]?.state;
  }
  const reply = await stack.call(budgetLeaseOperations.states, { budgetIds: [budgetId] }).catch(() => null);
  return reply?.states[budgetId];
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
