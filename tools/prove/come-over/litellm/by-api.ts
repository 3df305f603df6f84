import type { Estate } from '../estate';
import { teamBudget } from '../estate';
import type { LitellmProxy } from './litellm-proxy';

const usd = (nano: bigint): number => Number(nano) / 1e9;

/**
 * Has LiteLLM itself make what of the estate its administrator makes: teams, users, budgets and keys, one
 * request each.
 * @returns how many of each
 */
export async function makeByApi(
  { keys, teams, users, budgets }: Estate,
  { administer }: LitellmProxy,
): Promise<string> {
  const made = { budgets: 0, teams: 0, users: 0, keys: 0 };
  for (const [index, { limit, duration, byApi }] of budgets.entries())
    if (byApi) {
      await administer('/budget/new', {
        ...{ budget_id: `budget-${index}`, max_budget: usd(limit), budget_duration: duration ?? undefined },
      });
      made.budgets += 1;
    }
  for (const [index, { models, byApi }] of teams.entries())
    if (byApi) {
      const budget = { max_budget: usd(teamBudget.limit), budget_duration: teamBudget.duration };
      await administer('/team/new', { team_id: `team-${index}`, team_alias: `Team ${index}`, models, ...budget });
      made.teams += 1;
    }
  for (const [index, { email, budget, byApi }] of users.entries())
    if (byApi) {
      await administer('/user/new', {
        ...{ user_id: `user-${index}`, user_alias: `User ${index}`, user_email: email ?? undefined },
        ...{ user_role: 'internal_user', auto_create_key: false },
        ...(budget && { max_budget: usd(budget.limit), budget_duration: budget.duration }),
      });
      made.users += 1;
    }
  for (const key of keys.filter(({ byApi }) => byApi)) {
    await administer('/key/generate', {
      ...{ key: key.apiKey, key_alias: key.alias, models: key.models },
      ...(key.team !== null && { team_id: `team-${key.team}` }),
      ...(key.user !== null && { user_id: `user-${key.user}` }),
      ...(key.rpm !== null && { rpm_limit: key.rpm }),
      ...(key.parallel !== null && { max_parallel_requests: key.parallel }),
      ...(key.own && { max_budget: usd(key.own.limit), budget_duration: key.own.duration ?? undefined }),
      ...(key.shared !== null && { budget_id: `budget-${key.shared}` }),
    });
    made.keys += 1;
  }
  return Object.entries(made)
    .map(([what, count]) => `${count} ${what}`)
    .join(', ');
}
