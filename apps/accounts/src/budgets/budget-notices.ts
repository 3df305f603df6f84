import { Injectable } from '@nestjs/common';
import { decimalFromNanoUsd } from '@tollgate/contracts';
import {
  budgetAmount,
  budgetLeaseOperations,
  ofRefusal,
  type BudgetUnit,
  type ReachedBudget,
} from '@tollgate/contracts/metering';
import { ControlClient } from '@tollgate/messaging';
import { PeriodicWork } from '@tollgate/service';
import { tellAlerts, type Alert } from '../alerts/tell-alert';
import { budgetMail, budgetOf, type OfAccount } from '../mail/mail-texts';
import { Outbox } from '../mail/outbox';
import { readersOfBudgets } from '../people/person-rows';
import { AccountsSettings } from '../settings';
import { Storage, type AccountsQueries } from '../storage';
import { mightHaveCost } from './refusal-words';
import { isOfSomeHours, isRolling, toBudget, toUnit, type StoredBudget } from './stored-budget';
import { noteFallen, noteTold } from './told-thresholds';

const everyMs = 15_000;
/** Of the limit, in percent. The last one: nothing more is let through. Metering knows them, too, for names. */
const thresholds: readonly [number, number, number] = [50, 80, 100];
const [leastPercent, , mostPercent] = thresholds;

/**
 * Tells the people of an account, and administrators, when 50, 80 and 100 % of one of its budgets are spent,
 * and, apart from that, when it refused a request while something was left. Each is told once in each window,
 * whichever instance is first; of one that rolls, see `noteTold`. That it was told is written in the
 * transaction that writes the mails. Where several thresholds are passed at once there is one mail of all. A
 * budget whose limit changes is told of anew. Of one of less than a day only the refusal and that it is used
 * up. Webhooks are told in the same transaction.
 */
@Injectable()
export class BudgetNotices {
  constructor(
    private readonly storage: Storage,
    private readonly outbox: Outbox,
    private readonly control: ControlClient,
    private readonly settings: AccountsSettings,
    work: PeriodicWork,
  ) {
    const failure = 'people could not be told how their budgets stand; trying again shortly';
    work.add({ name: 'notices of budgets', everyMs, run: () => this.tell(), failure });
  }

  /** Writes what is not written yet. @throws ControlError `unavailable` when metering or Postgres is away. */
  async tell(): Promise<void> {
    if ((await this.storage.read(({ budget }) => budget.count({ take: 1 }))) === 0) return;
    const began = new Date();
    const passed = new Map<string, number[]>();
    let after: string | undefined;
    do {
      const asked = { percent: leastPercent, after };
      const page = await this.control.call(budgetLeaseOperations.reached, asked, { absentMs: 0 });
      for (const reached of page.budgets) passed.set(reached.budgetId, await this.tellOf(reached));
      after = page.next ?? undefined;
    } while (after !== undefined);
    await this.storage.read((queries) => noteFallen(queries, passed, began));
  }

  /** Returns the thresholds to which it has come. */
  private tellOf(reached: ReachedBudget): Promise<number[]> {
    return this.storage.transaction(async (queries) => {
      const budget = await queries.budget.findUnique({ where: { id: reached.budgetId } });
      // Another limit than the one that metering told of: the next turn tells of that.
      if (!budget || budget.limitNanoUsd.toString() !== reached.limitNanoUsd) return [];
      const passed = thresholdsOf(budget, reached);
      const come = isToldOfRefusal(budget, reached) ? [ofRefusal, ...passed] : passed;
      if (come.length === 0) return come;
      const told = (await noteTold(queries, budget, new Date(reached.windowStart), come)).sort((a, b) => a - b);
      if (told.includes(ofRefusal)) await this.tellPeople(queries, budget, reached, [ofRefusal]);
      const percents = told.filter((percent) => percent !== ofRefusal);
      // Of one that it passed on its way to what people know, nobody is told late.
      if (percents.includes(Math.max(...passed))) await this.tellPeople(queries, budget, reached, percents);
      return come;
    });
  }

  private async tellPeople(
    queries: AccountsQueries,
    budget: StoredBudget,
    reached: ReachedBudget,
    percents: readonly number[],
  ): Promise<void> {
    const { publicUrl } = this.settings.people;
    const account = await queries.account.findUniqueOrThrow({ where: { id: budget.accountId } });
    await tellAlerts(queries, budgetAlerts({ ...budget, account }, reached, percents, publicUrl));
    const told = { ...toBudget(budget), ...reached, percents, account };
    for (const { email, name, list } of await readersOfBudgets(queries, budget.accountId))
      await this.outbox.add(queries, email, budgetMail(name, told, `${publicUrl}${list}/${budget.id}`));
  }
}

/** The thresholds of which a budget has spent so much, of those of which people are told, ascending. */
function thresholdsOf(
  budget: Pick<StoredBudget, 'window'>,
  { limitNanoUsd, spentNanoUsd }: Pick<ReachedBudget, 'limitNanoUsd' | 'spentNanoUsd'>,
): number[] {
  const spent = BigInt(spentNanoUsd) * 100n;
  return thresholds.filter((percent) => isToldOf(budget, percent) && spent >= BigInt(limitNanoUsd) * BigInt(percent));
}

/**
 * Whether people are told that a budget refused a request while something was left. A metering of the release
 * before also tells it of a soft one, which refused nothing, and of one of which nothing is left.
 */
function isToldOfRefusal(
  budget: Pick<StoredBudget, 'soft' | 'window'>,
  { hasRefused, limitNanoUsd, spentNanoUsd }: Pick<ReachedBudget, 'hasRefused' | 'limitNanoUsd' | 'spentNanoUsd'>,
): boolean {
  const isSomethingLeft = BigInt(spentNanoUsd) < BigInt(limitNanoUsd);
  return hasRefused && !budget.soft && isSomethingLeft && isToldOf(budget, ofRefusal);
}

/**
 * What people are told of a name, apart: that it was refused a request (`ofRefusal`) while some of its part
 * was left, and the thresholds above `told` of which it has spent so much, ascending. `refusalsApart` false:
 * of a metering of the release before, which tells a refusal as the last threshold.
 */
export function toldOfName(
  budget: Pick<StoredBudget, 'window' | 'soft'>,
  told: number,
  { percent, ...reached }: Pick<ReachedBudget, 'limitNanoUsd' | 'spentNanoUsd'> & { percent: number },
  refusalsApart: boolean,
): { refusal: number[]; passed: number[] } {
  const hasRefused = percent === ofRefusal || (percent === mostPercent && !refusalsApart);
  return {
    refusal: isToldOfRefusal(budget, { ...reached, hasRefused }) ? [ofRefusal] : [],
    passed: percent === ofRefusal ? [] : thresholdsOf(budget, reached).filter((one) => one > told),
  };
}

/** Of a budget of some hours people are told only that it refused a request, and that it is used up. */
function isToldOf({ window }: Pick<StoredBudget, 'window'>, percent: number): boolean {
  return !isOfSomeHours(window) || percent === mostPercent || percent === ofRefusal;
}

type ToldBudget = Pick<StoredBudget, 'id' | 'name' | 'accountId' | 'unit' | 'window' | 'soft' | 'fallbackModel'> &
  OfAccount;
type ToldState = Pick<ReachedBudget, 'windowStart' | 'limitNanoUsd' | 'spentNanoUsd' | 'resetsAt' | 'refusal'>;

/**
 * What webhooks are told of the thresholds that a budget came to at once (percents, ascending): programs of
 * each, in this order, people of all with the last. `publicUrl`: where the dashboard is. `of`: whose part it
 * is, of a budget that each name has alone.
 */
export function budgetAlerts(
  budget: ToldBudget,
  state: ToldState,
  percents: readonly number[],
  publicUrl: string,
  of?: string,
): Alert[] {
  const link = `${publicUrl}/admin/budgets/${budget.id}`;
  return percents.map((percent, index) =>
    index < percents.length - 1
      ? { ...budgetAlert(budget, state, [percent], of), link, only: 'programs' }
      : { ...budgetAlert(budget, state, percents, of), link },
  );
}

/** Of the last threshold; the text names all. Dollars are decimal strings, tokens numbers. */
function budgetAlert(
  budget: ToldBudget,
  { windowStart, limitNanoUsd, spentNanoUsd, resetsAt, refusal }: ToldState,
  percents: readonly number[],
  of?: string,
): Omit<Alert, 'link'> {
  const { id, name, accountId, unit: stored } = budget;
  const unit = toUnit(stored);
  const threshold = percents.at(-1) ?? mostPercent;
  const hasRefused = threshold === ofRefusal;
  const what = `${of === undefined ? 'The' : `The part of ${JSON.stringify(of)} in the`} budget ${budgetOf(budget)}`;
  return {
    kind: 'budget.threshold',
    text:
      `${what} ${howFar(percents, hasRefused)}: ${budgetAmount(unit, spentNanoUsd)} of ${budgetAmount(unit, limitNanoUsd)} are spent` +
      (hasRefused && refusal !== null ? `, and the request ${mightHaveCost(unit, refusal)}.` : '.'),
    advice: budgetAdvice(budget, { threshold, hasRefused }, resetsAt),
    data: {
      budget_id: id,
      budget: name,
      ...(of !== undefined && { budget_of: of }),
      account_id: accountId,
      threshold,
      ...amountsIn(unit, { limit: limitNanoUsd, spent: spentNanoUsd }),
      ...(hasRefused && refusal !== null && amountsIn(unit, { refused: refusal.mayCostNanoUsd })),
      resets_at: resetsAt === null ? null : new Date(resetsAt).toISOString(),
    },
    turn: { of: `${id} ${windowStart} ${of ?? ''}`, place: threshold },
  };
}

/** What becomes of requests, and what may be done. `resetsAt` null: it does not begin anew. */
function budgetAdvice(
  { soft, fallbackModel, window }: Pick<ToldBudget, 'soft' | 'fallbackModel' | 'window'>,
  { threshold, hasRefused }: { threshold: number; hasRefused: boolean },
  resetsAt: number | null,
): string {
  const isOver = threshold === mostPercent;
  const until = resetsAt === null ? '' : untilRoom(new Date(resetsAt).toISOString(), window);
  if (hasRefused)
    return `Requests that may cost more than what is left are refused${until}, unless its limit is raised; smaller ones go on.`;
  if (fallbackModel !== null)
    return isOver
      ? `Requests are served by ${fallbackModel}${until}, unless its limit is raised.`
      : `Requests go on; those that it has no room for are served by ${fallbackModel}.`;
  if (soft) return 'Requests go on: it is soft.';
  return isOver
    ? `Requests are refused${until}, unless its limit is raised.`
    : 'Requests go on until it is used up; raise its limit if it should last longer.';
}

/** Of a window that rolls, room comes back piece by piece, from when it is told to reset on. */
function untilRoom(resetsAt: string, window: string): string {
  return isRolling(window)
    ? ` until enough of what is spent counts no more (the first at ${resetsAt})`
    : ` until ${resetsAt}`;
}

/** `percents`: ascending, at least one. `hasRefused`: they are of a refusal, with some of the budget left. */
function howFar(percents: readonly number[], hasRefused: boolean): string {
  const partly = percents.filter((percent) => percent !== ofRefusal && percent < mostPercent).map((one) => `${one} %`);
  const come = `${partly.join(' and ')}${percents.length > 1 ? ' at once' : ''}`;
  if (partly.length === percents.length) return `has come to ${come}`;
  const end = hasRefused ? 'refused a request, as too little was left' : 'is used up';
  return partly.length === 0 ? end : `${end}, and came to ${come}`;
}

/** In the unit of the budget: dollars as decimal strings, tokens as numbers. */
function amountsIn(unit: BudgetUnit, amounts: Readonly<Record<string, string>>): Alert['data'] {
  return Object.fromEntries(
    Object.entries(amounts).map(([name, amount]): [string, string | number] =>
      unit === 'tokens' ? [`${name}_tokens`, Number(amount)] : [`${name}_usd`, decimalFromNanoUsd(BigInt(amount))],
    ),
  );
}
