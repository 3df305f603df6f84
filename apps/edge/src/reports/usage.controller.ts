import { Controller, Get, Query, UseGuards } from '@nestjs/common';
import { GatewayError, decimalFromNanoUsd } from '@tollgate/contracts';
import {
  budgetLeaseOperations,
  meteringOperations,
  type KeyBudget,
  type BudgetState,
  type BudgetUnit,
} from '@tollgate/contracts/metering';
import { ControlClient } from '@tollgate/messaging';
import { someAtOnce } from '@tollgate/service';
import { QuotaReservations } from '../admission/leases/quota-reservations';
import { RequestLimitGuard } from '../admission/request-limit.guard';
import { nameOf } from '../callers/attribution-of';
import type { Caller } from '../callers/authenticator';
import { CurrentCaller, KeyGuard } from '../callers/key.guard';
import { usageQuery, type BudgetStanding, type UsageAnswer, type UsageQuery } from './report-shapes';
import { unknownParameters } from './unknown-parameters';

/**
 * SPEC.md has the quota as an integer, so an unlimited one is told as the largest that every JSON reader
 * holds exactly.
 */
const unlimitedQuota = Number.MAX_SAFE_INTEGER;
/** So many parts are told of a budget that each name has alone. */
const mostParts = 20;
/** Of so many budgets at a time: each takes one of metering's connections, which requests need, too. */
const askedAtOnce = 4;
const patience = { timeoutMs: 3_000 };

/** The token quota of the calling key, and its budgets. */
@Controller('v1/usage')
@UseGuards(KeyGuard, RequestLimitGuard)
export class UsageController {
  constructor(
    private readonly control: ControlClient,
    private readonly quotas: QuotaReservations,
  ) {}

  @Get()
  async usage(@CurrentCaller() { key }: Caller, @Query() query: unknown): Promise<UsageAnswer> {
    const asked = readQuery(query);
    const record = await this.control.call(
      meteringOperations.usage,
      { keyId: key.id, quotaTokens: key.quotaTokens },
      patience,
    );
    if (key.quotaTokens !== null) this.quotas.remember(key.id, record);
    const quota = record.quota ?? unlimitedQuota;
    return {
      used: record.used,
      quota,
      remaining: record.remaining ?? Math.max(0, quota - record.used),
      resets_at: new Date(record.resetsAt).toISOString(),
      ...(key.budgets.length > 0 && { budgets: await this.budgets(key, asked) }),
    };
  }

  private async budgets({ id, budgets }: Caller['key'], asked: UsageQuery): Promise<BudgetStanding[]> {
    const budgetIds = budgets.map((budget) => budget.id);
    const { states } = await this.control.call(budgetLeaseOperations.states, { budgetIds }, patience);
    const standings = await someAtOnce(budgets, askedAtOnce, async (budget) => {
      const state = states[budget.id];
      return state ? [toBudgetStanding(budget, state)] : this.parts(id, budget, asked);
    });
    return standings.flat();
  }

  /**
   * Of a budget that each name has alone, how the part of the name stands that was asked for. Without one,
   * those of which most is spent, where it is of this key alone: whom other keys serve is not told.
   */
  private async parts(keyId: string, budget: KeyBudget, asked: UsageQuery): Promise<BudgetStanding[]> {
    const { each, id: budgetId } = budget;
    if (!each) return [];
    const name = asked[each.by];
    if (name === undefined && Object.keys(asked).length > 0) return [];
    const wish = name === undefined ? { keyId, limit: mostParts } : { names: [name] };
    const { names } = await this.control.call(budgetLeaseOperations.names, { budgetId, ...wish }, patience);
    return names.map((part) => toBudgetStanding(budget, part.state, part.name ?? part.nameDigest));
  }
}

/** Whoever asks says the name of an end user as requests do, or as reports tell it. */
function readQuery(query: unknown): UsageQuery {
  const { data, error } = usageQuery.safeParse(query);
  if (data)
    return { ...data, ...(data.end_user !== undefined && { end_user: nameOf(data.end_user) ?? data.end_user }) };
  const [issue] = error.issues;
  if (issue?.code === 'unrecognized_keys') throw unknownParameters(issue.keys, usageQuery);
  throw new GatewayError(400, `${String(issue?.path[0])}: must be one name, not longer than names may be`);
}

/** A budget's state in its unit. `of`: whose part it is, of one that each name has alone. */
export function toBudgetStanding(
  { name, models, unit }: Pick<KeyBudget, 'name' | 'models' | 'unit'>,
  state: BudgetState,
  of?: string,
): BudgetStanding {
  const limit = BigInt(state.limitNanoUsd);
  const spent = BigInt(state.spentNanoUsd);
  const held = BigInt(state.heldNanoUsd);
  const left = limit - spent - held;
  return {
    name,
    ...(of !== undefined && { budget_of: of }),
    ...(models.length > 0 && { models }),
    ...amountsIn(unit, { limit, spent, held, left: left > 0n ? left : 0n }),
    resets_at: state.resetsAt === null ? null : new Date(state.resetsAt).toISOString(),
  };
}

interface Amounts {
  readonly limit: bigint;
  readonly spent: bigint;
  readonly held: bigint;
  readonly left: bigint;
}

function amountsIn(unit: BudgetUnit, { limit, spent, held, left }: Amounts): Partial<BudgetStanding> {
  if (unit === 'usd')
    return {
      limit_usd: decimalFromNanoUsd(limit),
      spent_usd: decimalFromNanoUsd(spent),
      reserved_usd: decimalFromNanoUsd(held),
      remaining_usd: decimalFromNanoUsd(left),
    };
  return {
    limit_tokens: Number(limit),
    spent_tokens: Number(spent),
    reserved_tokens: Number(held),
    remaining_tokens: Number(left),
  };
}
