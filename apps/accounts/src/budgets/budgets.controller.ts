import { Controller } from '@nestjs/common';
import { ControlError, uuidv7 } from '@tollgate/contracts';
import type { ServedBy } from '@tollgate/contracts';
import { budgetOperations } from '@tollgate/contracts/metering';
import type { BudgetEach, BudgetWindow } from '@tollgate/contracts/metering';
import { isUuid } from '@tollgate/database';
import { ControlClient, Serve } from '@tollgate/messaging';
import { findAccount } from '../accounts/account-rows';
import { Changes, type AuditEntry, type Change } from '../keys/changes';
import { findKey } from '../keys/key-rows';
import { Storage, type AccountsQueries } from '../storage';
import { findBudget, keysUnder, pageOfBudgets } from './budget-rows';
import { requireModel } from './fallback-model';
import { changedLimit, limitInWords, limitOf } from './stored-limit';
import { keysOfProject } from './project-budgets';
import { isRolling, toBudget, type StoredBudget } from './stored-budget';
import { noticesOf } from './told-thresholds';

type Served = ServedBy<typeof budgetOperations>;

/** Each key is told with all of its account's. */
const mostBudgets = 100;

/**
 * The operations on budgets. Edges know of every change within a second. All throw ControlError `unavailable`
 * when the database is away.
 */
@Controller()
export class BudgetsController {
  constructor(
    private readonly storage: Storage,
    private readonly changes: Changes,
    private readonly control: ControlClient,
  ) {}

  @Serve(budgetOperations.create)
  async create({
    keyId,
    limitUsd,
    limitTokens,
    actor,
    each,
    ...wish
  }: Served['create']['request']): Promise<Served['create']['reply']> {
    const { accountId, ...asked } = wish;
    if (asked.fallbackModel !== null) await requireModel(this.control, asked.fallbackModel, asked.models);
    return this.changes.commit(async (change) => {
      const { transaction } = change;
      const account = await findAccount(transaction, accountId);
      const keyIds = await keysOf(transaction, account.id, keyId, asked.project);
      await requireRoom(transaction, account.id, asked.name);
      await requireZone(transaction, asked);
      requireSoft(asked);
      requireEnd(each, asked.window);
      const limit = limitOf({ limitUsd, limitTokens });
      const divided = { eachBy: each?.by ?? null, eachNames: each?.names ?? null };
      const data = { ...asked, ...divided, id: uuidv7(), accountId: account.id, keyIds, ...limit };
      const stored = await transaction.budget.create({ data });
      await change.touchKeys(await keysUnder(transaction, stored));
      const detail = { ...asked, ...(each && divided), ...limitInWords(stored), budgetId: stored.id };
      await change.audit({ actor, action: 'budget-created', accountId: account.id, ...one(keyId), detail });
      return { budget: toBudget(stored) };
    });
  }

  @Serve(budgetOperations.update)
  async update({
    budgetId,
    name,
    limitUsd,
    limitTokens,
    actor,
    ...exceeding
  }: Served['update']['request']): Promise<Served['update']['reply']> {
    const { fallbackModel } = exceeding;
    if (typeof fallbackModel === 'string') await this.requireOtherModel(budgetId, fallbackModel);
    return this.changes.commit(async (change) => {
      const { transaction } = change;
      const before = await findBudget(transaction, budgetId);
      if (name !== undefined && name !== before.name) await requireName(transaction, before.accountId, name);
      const limit = changedLimit(before, { limitUsd, limitTokens });
      const after = await transaction.budget.update({
        where: { id: budgetId },
        data: {
          ...(name !== undefined && { name }),
          ...limit,
          ...exceeding,
        },
      });
      requireSoft(after);
      // Another limit is told of anew.
      if (after.limitNanoUsd !== before.limitNanoUsd)
        await transaction.budgetNotice.deleteMany({ where: { budgetId } });
      await change.touchKeys(await keysUnder(transaction, after));
      const detail = {
        budgetId,
        name: after.name,
        nameBefore: before.name,
        ...limitInWords(after),
        ...limitInWords(before, 'Before'),
        ...{ soft: after.soft, softBefore: before.soft },
        ...{ fallbackModel: after.fallbackModel, fallbackModelBefore: before.fallbackModel },
      };
      await audit(change, { actor, action: 'budget-changed', ...before, detail });
      return { budget: toBudget(after) };
    });
  }

  @Serve(budgetOperations.remove)
  remove({ budgetId, actor }: Served['remove']['request']): Promise<Served['remove']['reply']> {
    return this.changes.commit(async (change) => {
      const { transaction } = change;
      const before = await findBudget(transaction, budgetId);
      await transaction.budget.delete({ where: { id: budgetId } });
      await change.touchKeys(await keysUnder(transaction, before));
      const detail = { budgetId, name: before.name, ...limitInWords(before) };
      await audit(change, { actor, action: 'budget-removed', ...before, detail });
      return {};
    });
  }

  @Serve(budgetOperations.find)
  find({ budgetId }: Served['find']['request']): Promise<Served['find']['reply']> {
    return this.storage.read(async (queries) => ({ budget: toBudget(await findBudget(queries, budgetId)) }));
  }

  @Serve(budgetOperations.notices)
  notices({ budgetId }: Served['notices']['request']): Promise<Served['notices']['reply']> {
    return this.storage.read(async (queries) => noticesOf(queries, await findBudget(queries, budgetId)));
  }

  @Serve(budgetOperations.list)
  async list({ accountId, ...wish }: Served['list']['request']): Promise<Served['list']['reply']> {
    if (accountId !== undefined && !isUuid(accountId))
      throw new ControlError('invalid', 'accountId: give the id that the list of accounts shows.');
    return this.storage.read(async (queries) => {
      const { items, next } = await pageOfBudgets(queries, accountId, wish);
      return { budgets: items.map(toBudget), next };
    });
  }

  /** One that it has already stays. @throws ControlError as `requireModel` does. */
  private async requireOtherModel(budgetId: string, name: string): Promise<void> {
    const { fallbackModel, models } = await this.storage.read((queries) => findBudget(queries, budgetId));
    if (name !== fallbackModel) await requireModel(this.control, name, models);
  }
}

/** A line of a budget names its key, or else its project. */
function audit(
  change: Change,
  { actor, action, accountId, keyIds, project, detail }: AuditEntry & Pick<StoredBudget, 'keyIds' | 'project'>,
): Promise<void> {
  if (project === null) return change.audit({ actor, action, accountId, ...one(keyIds[0]), detail });
  return change.audit({ actor, action, accountId, detail: { ...detail, project } });
}

function one(keyId: string | undefined): { keyId?: string } {
  return keyId === undefined ? {} : { keyId };
}

/** Of which keys a budget is to be; none: of all of the account. */
async function keysOf(
  queries: AccountsQueries,
  accountId: string,
  keyId: string | undefined,
  project: string | null,
): Promise<string[]> {
  if (project === null) return keyId === undefined ? [] : [await usableKey(queries, keyId, accountId)];
  if (keyId === undefined) return keysOfProject(queries, accountId, project);
  throw new ControlError('invalid', 'keyId: a budget is of one key or of a project, not of both.');
}

async function usableKey(queries: AccountsQueries, keyId: string, accountId: string): Promise<string> {
  const { id, status, display } = await findKey(queries, keyId, { accountId });
  if (status === 'active') return id;
  throw new ControlError('conflict', `The key ${display} is revoked, so that it cannot spend anything.`);
}

async function requireRoom(queries: AccountsQueries, accountId: string, name: string): Promise<void> {
  await requireName(queries, accountId, name);
  if ((await queries.budget.count({ where: { accountId } })) < mostBudgets) return;
  throw new ControlError('conflict', `An account has at most ${mostBudgets} budgets; remove one first.`);
}

/** One that refuses has no use for another model. */
function requireSoft({ soft, fallbackModel }: { soft: boolean; fallbackModel: string | null }): void {
  if (soft || fallbackModel === null) return;
  throw new ControlError('invalid', 'fallbackModel: only a soft budget has a model that serves when it is used up.');
}

/**
 * What is spent is kept for each name as long as its window: without an end, names would only become more.
 * The slices of windows that roll are not kept for each.
 */
function requireEnd(each: BudgetEach | null, window: BudgetWindow): void {
  if (each && isRolling(window))
    throw new ControlError('invalid', 'window: a budget of each name goes by the hour, day, week or month.');
  if (!each?.names.includes('*') || window !== 'total') return;
  throw new ControlError('invalid', 'window: a budget of each of any number of names needs one that ends.');
}

/** A refusal names the budget, so each of an account has a name of its own. */
async function requireName({ budget }: AccountsQueries, accountId: string, name: string): Promise<void> {
  if (!(await budget.findFirst({ where: { accountId, name } }))) return;
  throw new ControlError('conflict', `name: the account has a budget of the name ${JSON.stringify(name)} already.`);
}

/** Postgres works with it, so Postgres has to know it. A window that rolls goes by no calendar. */
async function requireZone(
  queries: AccountsQueries,
  { timeZone, window }: { timeZone: string; window: string },
): Promise<void> {
  if (timeZone === 'UTC') return;
  if (isRolling(window))
    throw new ControlError('invalid', 'timeZone: a window of the last hours or days has none, it goes by UTC.');
  const found = await queries.$queryRaw<object[]>`SELECT FROM pg_timezone_names WHERE name = ${timeZone}`;
  if (found.length > 0) return;
  throw new ControlError('invalid', `timeZone: ${JSON.stringify(timeZone)} is none, such as "Europe/Paris" is one.`);
}
