import { ControlError } from '@tollgate/contracts';
import { budgetLeaseOperations, budgetOperations, type Budget, type BudgetState } from '@tollgate/contracts/metering';
import type { NatsConnection, Subscription } from 'nats';
import { respond } from './control-responder';

/** Budgets as accounts tells them, and how they stand as metering does. */
export class FakeBudgets {
  readonly budgets: Budget[] = [];
  readonly states = new Map<string, BudgetState>();
  /** Those of which so much is spent, in the order in which metering tells them. */
  reached: { budgetId: string; hasRefused: boolean }[] = [];
  /** Set, metering refuses every question about them. */
  isAway = false;
  /** What was asked to be made, changed and removed. */
  readonly asked: object[] = [];
  private readonly responders: Subscription[] = [];

  constructor(private readonly connection: NatsConnection) {}

  /** Makes one of account-1, of $10 a month, unless `changes` say otherwise. */
  add(changes: Partial<Budget>): Budget {
    const budget: Budget = {
      ...{ id: `budget-${this.budgets.length + 1}`, accountId: 'account-1', name: 'team', keyIds: [], project: null },
      ...{ unit: 'usd', limitNanoUsd: '10000000000', window: 'month', timeZone: 'UTC', models: [], each: null },
      ...{ soft: false, fallbackModel: null, createdAt: 1_000 },
      ...changes,
    };
    this.budgets.push(budget);
    return budget;
  }

  start(): void {
    const { create, update, remove, find, list, notices } = budgetOperations;
    const noted = (request: { budgetId: string }) => {
      this.asked.push(request);
      return this.find(request.budgetId);
    };
    this.responders.push(
      respond(this.connection, list, ({ accountId }) => ({
        budgets: this.budgets.filter((one) => accountId === undefined || one.accountId === accountId),
        next: null,
      })),
      respond(this.connection, find, ({ budgetId }) => ({ budget: this.find(budgetId) })),
      respond(this.connection, create, (request) => {
        this.asked.push(request);
        return { budget: this.add({ name: request.name }) };
      }),
      respond(this.connection, update, (request) => ({ budget: noted(request) })),
      respond(this.connection, remove, (request) => {
        noted(request);
        return {};
      }),
      respond(this.connection, notices, () => ({
        notices: [{ windowStart: 1_000, percent: 50, toldAt: 2_000 }],
        namesMailedAt: null,
      })),
      ...this.serveStandings(),
    );
  }

  stop(): void {
    for (const responder of this.responders) responder.unsubscribe();
  }

  private serveStandings(): Subscription[] {
    const { states, names, windows, reached } = budgetLeaseOperations;
    const state = { limitNanoUsd: '10', spentNanoUsd: '9', heldNanoUsd: '0', resetsAt: 5_000 };
    return [
      respond(this.connection, states, ({ budgetIds }) => {
        this.checkPresence();
        return { states: Object.fromEntries([...this.states].filter(([id]) => budgetIds.includes(id))) };
      }),
      respond(this.connection, names, ({ limit }) => {
        this.checkPresence();
        return { names: ['ann', 'bob'].slice(0, limit).map((name) => ({ name, nameDigest: `of ${name}`, state })) };
      }),
      respond(this.connection, windows, () => {
        this.checkPresence();
        return { windows: [{ startAt: 1_000, endAt: 2_000, spentNanoUsd: '7' }] };
      }),
      // A page for each.
      respond(this.connection, reached, ({ after }) => {
        this.checkPresence();
        const index = this.reached.findIndex(({ budgetId }) => budgetId === after) + 1;
        const told = this.reached.slice(index, index + 1);
        const facts = { ...state, windowStart: 0 };
        return {
          budgets: told.map((one) => ({ ...facts, ...one })),
          next: index + 1 < this.reached.length ? (told[0]?.budgetId ?? null) : null,
        };
      }),
    ];
  }

  private find(id: string): Budget {
    const found = this.budgets.find((budget) => budget.id === id);
    if (!found) throw new ControlError('not_found', `There is no budget with the id ${JSON.stringify(id)}.`);
    return found;
  }

  private checkPresence(): void {
    if (this.isAway) throw new ControlError('unavailable', 'metering does not answer');
  }
}
