import { createHash } from 'node:crypto';

/** Why a key is refused there, and has to be here; `none`: its caller goes on. */
export type Refused = 'none' | 'blocked' | 'expired' | 'team blocked' | 'budget spent';

/** Amounts are nano-dollars. `duration`: as LiteLLM writes it; null: for good. */
export interface PlannedBudget {
  limit: bigint;
  duration: string | null;
}

/** A key as it stands in LiteLLM's table, and as its caller holds it. */
export interface PlannedKey {
  apiKey: string;
  token: string;
  alias: string;
  team: number | null;
  user: number | null;
  /** As the table has them: empty means every model. */
  models: string[];
  rpm: number | null;
  parallel: number | null;
  own: PlannedBudget | null;
  /** The row of LiteLLM_BudgetTable that it names. */
  shared: number | null;
  /** Spent in the window of its budget; ever; and in its log. */
  spent: bigint;
  total: bigint;
  logged: bigint;
  refused: Refused;
  endsInDays: number | null;
  /** LiteLLM itself makes it where its proxy runs, so that it has no past. */
  byApi: boolean;
}

interface PlannedTeam {
  models: string[];
  blocked: boolean;
  spent: bigint;
  byApi: boolean;
}

interface PlannedUser {
  email: string | null;
  budget: PlannedBudget | null;
  spent: bigint;
  byApi: boolean;
}

/** A key that was rotated: it goes on for a while beside its successor. */
interface FormerKey {
  apiKey: string;
  token: string;
  successor: PlannedKey;
}

/** All that stands in the tables. Made of numbers alone, so that two runs have the same one. */
export interface Estate {
  keys: PlannedKey[];
  former: FormerKey[];
  teams: PlannedTeam[];
  users: PlannedUser[];
  budgets: (PlannedBudget & { byApi: boolean })[];
}

const nano = 1_000_000_000n;
const perTeam = 20;
const teamModels = 20;
const durations = ['1d', '7d', '30d', null];

export const teamBudget: PlannedBudget = { limit: 500n * nano, duration: '30d' };

/** So many keys: three of four in teams of twenty, the others of users, some of nobody. */
export function planEstate(size: number, models: readonly string[]): Estate {
  const groups = Math.ceil(size / perTeam);
  const teams = Array.from({ length: groups }, (_, index) => ({
    models: index % 10 === 3 ? Array.from({ length: teamModels }, (_one, step) => nth(models, index + step * 7)) : [],
    blocked: index % 100 === 42,
    spent: 0n,
    byApi: index % 50 === 0,
  }));
  const users = Array.from({ length: groups }, (_, index) => ({
    email: index % 10 === 7 ? null : `User-${index}@Example.org`,
    budget: index % 5 === 0 ? { limit: 200n * nano, duration: '30d' } : null,
    spent: 0n,
    byApi: index % 50 === 0,
  }));
  const budgets = Array.from({ length: 20 }, (_, index) => ({
    limit: BigInt(15 + index) * nano,
    duration: nth(durations, index),
    byApi: index % 10 === 0,
  }));
  const keys = Array.from({ length: size }, (_, index) => planKey(index, models, teams));
  for (const { team, user, spent } of keys) {
    const owner = team === null ? users[user ?? -1] : teams[team];
    if (owner && !owner.byApi) owner.spent += spent;
  }
  const former = keys
    .filter(({ refused }, index) => refused === 'none' && index % 200 === 1)
    .map((successor, index) => ({ ...secretOf(`rotated ${index}`), successor }));
  return { keys, former, teams, users, budgets };
}

function planKey(index: number, models: readonly string[], teams: readonly PlannedTeam[]): PlannedKey {
  const group = Math.floor(index / perTeam);
  const team = index % 4 === 3 ? null : group;
  const allowed = team === null ? [] : (teams[team]?.models ?? []);
  const choice = allowed.length > 0 ? allowed : models;
  const own = index % 2 === 0 ? { limit: BigInt(10 + (index % 9)) * nano, duration: nth(durations, index / 2) } : null;
  const refused = refusedOf(index, team !== null && teams[team]?.blocked === true);
  const byApi = refused === 'none' && index % 100 < 3;
  // In LiteLLM a key with what costs 0.1 and 0.2 has spent 0.30000000000000004.
  const window = byApi ? 0n : BigInt(index % 1_000) * 1_234_567n + BigInt(index % 7);
  const spent = refused === 'budget spent' && own ? own.limit + window : window;
  const total = byApi ? 0n : spent + BigInt(index % 13) * 777_777_777n;
  return {
    ...secretOf(`caller ${index}`),
    alias: `caller ${index}`,
    team,
    user: index % 20 === 19 ? null : group,
    models: modelsOf(index, choice),
    rpm: index % 5 === 0 ? 1_000 + (index % 7) : null,
    parallel: index % 25 === 0 ? 8 : null,
    own,
    shared: own === null && index % 7 === 3 ? index % 20 : null,
    spent,
    total,
    // Logs of long ago are removed there: they hold less than the total, or, where that is younger, more.
    logged: index % 10 === 0 ? total / 2n : index % 10 === 5 ? total + 5n : 0n,
    refused,
    endsInDays: refused === 'expired' ? -3 : index % 50 === 11 ? 30 : null,
    byApi,
  };
}

function refusedOf(index: number, isTeamBlocked: boolean): Refused {
  if (index % 50 === 49 || index % 100 === 16) return 'blocked';
  if (index % 50 === 24) return 'expired';
  if (isTeamBlocked) return 'team blocked';
  return index % 100 === 78 ? 'budget spent' : 'none';
}

function modelsOf(index: number, choice: readonly string[]): string[] {
  if (index % 9 === 4) return ['all-team-models'];
  if (index % 3 !== 0) return [];
  return [...new Set([nth(choice, index), nth(choice, index * 3 + 1)])];
}

/** A key as LiteLLM makes them, and its SHA-256, which is all that stands in the table. */
function secretOf(seed: string): { apiKey: string; token: string } {
  const apiKey = `sk-${createHash('sha256').update(seed).digest('base64url').slice(0, 22)}`;
  return { apiKey, token: createHash('sha256').update(apiKey).digest('hex') };
}

function nth<One>(all: readonly One[], index: number): One {
  const one = all[Math.floor(index) % all.length];
  if (one === undefined) throw new Error('There is nothing to choose from.');
  return one;
}
