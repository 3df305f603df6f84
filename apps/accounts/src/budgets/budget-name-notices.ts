import { Injectable } from '@nestjs/common';
import { budgetLeaseOperations } from '@tollgate/contracts/metering';
import { ControlClient } from '@tollgate/messaging';
import { PeriodicWork } from '@tollgate/service';
import type { z } from 'zod';
import type { Alert } from '../alerts/tell-alert';
import { tellEachOnce } from '../alerts/told-alerts';
import { budgetNamesMail, type OfAccount } from '../mail/mail-texts';
import { Outbox } from '../mail/outbox';
import { readersOfBudgets } from '../people/person-rows';
import { AccountsSettings } from '../settings';
import { Storage, type AccountsQueries } from '../storage';
import { budgetAlerts, toldOfName } from './budget-notices';
import { toBudget, type StoredBudget } from './stored-budget';

type ReachedNames = z.output<typeof budgetLeaseOperations.reachedNames.reply>;
type ReachedName = ReachedNames['names'][number];

/** Of which names a mail is due; `windowStart` null: of those of the window at hand. */
interface DueMail {
  budget: StoredBudget;
  mailedAt: Date | null;
  windowStart: Date | null;
}

const everyMs = 15_000;
/** Of metering's names, so many are told in one transaction, and so many times in one turn. */
const namesAtOnce = 100;
const mostPages = 50;
/** Metering knows long before then that these were told. */
const rememberedMs = 600_000;
const mailsEveryMs = 3_600_000;
/** So many names stand in a mail. */
const namesInMail = 20;

/**
 * Tells of the names that came to 50, 80 and 100 % of their part of a budget that each has alone, and, apart
 * from that, of those that were refused a request while some of it was left. Webhooks hear of each once in
 * each window; the people of the account, and administrators, get one mail of the names nearest to the limit
 * when some came to a threshold, at most one in an hour for each budget and window. Metering tells those of
 * which nobody was told, and is told that somebody was; should that fail, an alert is known by its name for a
 * while.
 */
@Injectable()
export class BudgetNameNotices {
  constructor(
    private readonly storage: Storage,
    private readonly outbox: Outbox,
    private readonly control: ControlClient,
    private readonly settings: AccountsSettings,
    work: PeriodicWork,
  ) {
    const failure = 'people could not be told who is near the limit of a budget; trying again shortly';
    work.add({ name: 'notices of names', everyMs, run: () => this.tell(), failure });
  }

  /** Tells what was not told yet. @throws ControlError `unavailable` when metering or Postgres is away. */
  async tell(): Promise<void> {
    const divided = { eachBy: { not: null } };
    if ((await this.storage.read(({ budget }) => budget.count({ where: divided, take: 1 }))) === 0) return;
    for (let page = 0; page < mostPages; page++) {
      const reached = await this.control.call(
        budgetLeaseOperations.reachedNames,
        { limit: namesAtOnce, refusals: true },
        { absentMs: 0 },
      );
      await this.mailOfWindowsBefore(reached.names);
      const { publicUrl } = this.settings.people;
      const told = await this.storage.transaction((queries) => tellOf(queries, reached, publicUrl));
      if (told.length > 0) await this.control.call(budgetLeaseOperations.namesTold, { names: told }, { absentMs: 0 });
      if (told.length < namesAtOnce) break;
    }
    const before = new Date(Date.now() - mailsEveryMs);
    const due = await this.storage.read(({ budgetNameMail }) =>
      budgetNameMail.findMany({
        where: { isDue: true, OR: [{ mailedAt: null }, { mailedAt: { lt: before } }] },
        include: { budget: true },
      }),
    );
    for (const one of due) await this.mail(one);
  }

  /** A mail that is due does not wait for its hour when names come so far in the next window. */
  private async mailOfWindowsBefore(names: readonly ReachedName[]): Promise<void> {
    const windows = new Map(names.map(({ budgetId, windowStart }) => [budgetId, windowStart]));
    const due = await this.storage.read(({ budgetNameMail }) =>
      budgetNameMail.findMany({
        where: { isDue: true, windowStart: { not: null }, budgetId: { in: [...windows.keys()] } },
        include: { budget: true },
      }),
    );
    for (const one of due) if (one.windowStart?.getTime() !== windows.get(one.budgetId)) await this.mail(one);
  }

  /** The names as they stand in the window in which some came so far; without any there is no mail. */
  private async mail({ budget, mailedAt, windowStart }: DueMail): Promise<void> {
    const wish = {
      budgetId: budget.id,
      limit: namesInMail,
      ...(windowStart && { windowStart: windowStart.getTime() }),
    };
    const { names } = await this.control.call(budgetLeaseOperations.names, wish, { absentMs: 0 });
    await this.storage.transaction(async (queries) => {
      const { count } = await queries.budgetNameMail.updateMany({
        where: { budgetId: budget.id, isDue: true, mailedAt, windowStart },
        data: { isDue: false, windowStart: null, ...(names.length > 0 && { mailedAt: new Date() }) },
      });
      if (count === 0 || names.length === 0) return;
      const account = await queries.account.findUniqueOrThrow({ where: { id: budget.accountId } });
      const told = { ...toBudget(budget), account };
      for (const { email, name, list } of await readersOfBudgets(queries, budget.accountId)) {
        const link = `${this.settings.people.publicUrl}${list}/${budget.id}`;
        await this.outbox.add(queries, email, budgetNamesMail(name, told, names, link));
      }
    });
  }
}

/** Returns those that nobody has to be told of any more. `publicUrl`: where the dashboard is. */
async function tellOf(
  queries: AccountsQueries,
  { names, refusalsApart }: ReachedNames,
  publicUrl: string,
): Promise<ReachedName[]> {
  const ids = [...new Set(names.map(({ budgetId }) => budgetId))].sort();
  const stored = await queries.budget.findMany({ where: { id: { in: ids } }, include: { account: true } });
  const budgets = new Map(stored.map((one) => [one.id, one]));
  const known = names.flatMap((reached) => {
    const budget = budgets.get(reached.budgetId);
    // Another limit than the one that metering told of: the next turn tells of that.
    return budget?.limitNanoUsd.toString() === reached.limitNanoUsd ? [{ budget, reached }] : [];
  });
  const told = known.map(({ budget, reached: { toldPercent, ...reached } }) => {
    // A metering of an older release says nothing of what was told: the highest alone.
    const percents = toldOfName(budget, toldPercent ?? reached.percent - 1, reached, refusalsApart);
    return { budget, reached, ...percents };
  });
  const alerts = told.flatMap(({ budget, reached, refusal, passed }) =>
    [refusal, passed].flatMap((percents) => alertsOf(budget, reached, percents, publicUrl)),
  );
  await tellEachOnce(queries, new Map(alerts), new Date(Date.now() + rememberedMs));
  // A refusal alone makes no mail due: that tells who is near the limit.
  const nearer = told.filter(({ passed }) => passed.length > 0);
  const windows = new Map(nearer.map(({ reached }) => [reached.budgetId, new Date(reached.windowStart)]));
  // In one order everywhere: two instances tell of the same budgets at once.
  for (const [budgetId, windowStart] of [...windows].sort(([one], [other]) => (one < other ? -1 : 1))) {
    const due = { isDue: true, windowStart };
    await queries.budgetNameMail.upsert({ where: { budgetId }, create: { budgetId, ...due }, update: due });
  }
  return known.map(({ reached }) => reached);
}

/** By the names under which they are told once. `percents`: what is told at once; see `budgetAlerts`. */
function alertsOf(
  budget: StoredBudget & OfAccount,
  reached: Omit<ReachedName, 'toldPercent'>,
  percents: readonly number[],
  publicUrl: string,
): (readonly [string, Alert])[] {
  const { budgetId, name, nameDigest, windowStart, limitNanoUsd } = reached;
  const noticed = `budget.threshold ${budgetId} ${nameDigest} ${windowStart} ${limitNanoUsd}`;
  return budgetAlerts(budget, reached, percents, publicUrl, name ?? nameDigest).map((alert) => {
    return [`${noticed} ${String(alert.data.threshold)}`, alert];
  });
}
