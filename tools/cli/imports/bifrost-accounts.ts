import { isImportedKey } from '@tollgate/contracts';
import type { ImportedKey } from '@tollgate/contracts/accounts';
import { createHash } from 'node:crypto';
import { isOfKey, type BifrostGovernance } from './bifrost-governance';
import { isTokenBudget, ownLimits, ratesOf, tokensOf } from './bifrost-rates';
import { envName, secondsOf } from './bifrost-values';
import { usd, windowOfSeconds } from './budget-limits';
import { calledBy, type AccountToTake, type ImportedAccounts } from './imported-accounts';
import type { SettingsReport } from './settings-report';
import { modelId } from './written-file';

type VirtualKey = BifrostGovernance['virtual_keys'][number];
type Budget = BifrostGovernance['budgets'][number];
type RateLimit = BifrostGovernance['rate_limits'][number];

/**
 * What a reading needs besides the section: `plan` is that of every account, `environment` holds what keys
 * name by a variable, `allWhenEmpty`: an empty list of models is all of them, `ids` are the models here by
 * their names there, `nowMs` decides what is over.
 */
interface Context {
  plan: string;
  environment: NodeJS.ProcessEnv;
  allWhenEmpty: boolean;
  ids: ReadonlyMap<string, string>;
  report: SettingsReport;
  nowMs: number;
}

/** What a pattern is that matches no model. */
const noModels = 'no-default-models';

/**
 * Makes accounts with keys and budgets of Bifrost's virtual keys; the report says what became of each
 * setting. A customer is an account, and so is a team of no customer. A team of a customer is a part of that
 * account, so that both budgets hold.
 */
export function fromBifrostGovernance(governance: BifrostGovernance, context: Context): ImportedAccounts {
  const accounts = new Map<string, AccountToTake>();
  const taken = new Map<string, string>();
  for (const virtual of governance.virtual_keys) {
    const text = textOf(virtual, context);
    if (text === null) continue;
    const account = accountOf(virtual, governance, accounts, context);
    const key = keyOf(virtual, text, governance, context);
    account.keys.push(key);
    taken.set(virtual.id, key.sha256);
    for (const budget of budgetsOf(virtual, governance))
      add(account, `key ${nameOf(virtual).slice(0, 80)} ${budget.id.slice(0, 12)}`, [key.sha256], budget, context);
    for (const limit of ownLimits(virtual, governance).filter((one) => isTokenBudget(one, true)))
      addTokens(account, `tokens ${nameOf(virtual)}`, virtual.id, [key.sha256], limit, context);
  }
  addShared(governance, accounts, taken, context);
  tellUnread(governance, context.report);
  return { accounts: [...accounts.values()], plans: new Map() };
}

/** The key that callers send; null, and told in the report, where it cannot come over. */
function textOf({ value, expires_at: expires }: VirtualKey, { environment, report, nowMs }: Context): string | null {
  const setting = 'governance.virtual_keys.value';
  if (expires != null && Date.parse(expires) <= nowMs) {
    report.left('governance.virtual_keys (expired)', 'they do not work there either');
    return null;
  }
  const variable = envName(value ?? '');
  const text = variable === null ? (value ?? '') : (environment[variable] ?? '');
  if (text === '' && variable !== null) report.left(setting, `set ${variable} and run it again`);
  else if (text === '')
    report.left(setting, 'Bifrost made it up: write it into the file as its page shows it, and run it again');
  else if (isImportedKey(text)) {
    report.carried(setting, 'the caller keeps its key');
    return text;
  } else report.left(setting, 'only keys that begin with sk- come over: give this caller a new one');
  return null;
}

function accountOf(
  virtual: VirtualKey,
  governance: BifrostGovernance,
  accounts: Map<string, AccountToTake>,
  { plan, report }: Context,
): AccountToTake {
  const { reference, name } = ownerOf(virtual, governance);
  const known = accounts.get(reference);
  if (known) return known;
  const account: AccountToTake = {
    ...{ reference, name, person: null, plan },
    ...{ keys: [], budgets: [] },
  };
  report.carried('governance (customers, teams, keys of nobody)', 'an account that nobody signs in for');
  accounts.set(reference, account);
  return account;
}

/** The customer whose key it is, by its team too, else its team, else nobody. */
function ownerOf(
  { team_id: teamId, customer_id: customerId }: VirtualKey,
  { customers, teams }: BifrostGovernance,
): { reference: string; name: string } {
  const team = teams.find(({ id }) => id === teamId);
  const owner = customerId ?? team?.customer_id;
  const named = (kind: string, id: string, name: string | null | undefined) => ({
    reference: `bifrost:${kind}:${id.toLowerCase()}`,
    name: calledBy(200, name, id),
  });
  if (owner != null) return named('customer', owner, customers.find(({ id }) => id === owner)?.name);
  if (teamId != null) return named('team', teamId, team?.name);
  return { reference: 'bifrost:keys', name: 'Bifrost keys of nobody' };
}

function keyOf(virtual: VirtualKey, text: string, governance: BifrostGovernance, context: Context): ImportedKey {
  const { report } = context;
  const revoked = virtual.is_active === false;
  if (revoked) report.changed('governance.virtual_keys.is_active', 'the key comes revoked, and stays so');
  if (virtual.expires_at != null) report.carried('governance.virtual_keys.expires_at', 'it ends at the same time');
  const budgets = budgetsOf(virtual, governance);
  const spent = Math.max(0, ...budgets.map(({ current_usage: usage }) => usage ?? 0));
  return {
    ...{ sha256: createHash('sha256').update(text).digest('hex'), display: `sk-…${text.slice(-4)}` },
    ...{ name: nameOf(virtual), revoked, openingUsd: usd(spent) ?? '0' },
    ...{ ...ratesOf(virtual, governance, report), models: modelsOf(virtual, context) },
    ...(virtual.expires_at != null && { expiresAt: Date.parse(virtual.expires_at) }),
  };
}

/** Names of keys are at most 100 characters. */
function nameOf({ name, id }: VirtualKey): string {
  return calledBy(100, name, id);
}

/** Patterns of the ids of models that it may use; none: every model. */
function modelsOf({ provider_configs: configs }: VirtualKey, { allWhenEmpty, ids, report }: Context): string[] {
  const setting = 'governance.virtual_keys.provider_configs';
  if (configs.length === 0) {
    if (allWhenEmpty) return [];
    report.carried(setting, 'a key without any may use no model');
    return [noModels];
  }
  report.carried(setting, 'patterns of models of the key');
  const patterns = configs.flatMap(({ provider, allowed_models: models }) => {
    const isAll = models?.includes('*') || (allWhenEmpty && (models ?? []).length === 0);
    if (isAll) return [`${provider}/*`, ...otherBeginnings(provider, ids)];
    return (models ?? []).map((model) => ids.get(`${provider}/${model}`) ?? modelId(`${provider}/${model}`));
  });
  return patterns.length === 0 ? [noModels] : [...new Set(patterns)];
}

/** Patterns of the ids that models of a provider have here where they do not begin with its name. */
function otherBeginnings(provider: string, ids: ReadonlyMap<string, string>): string[] {
  const own = [...ids].filter(([name, id]) => name.startsWith(`${provider}/`) && !id.startsWith(`${provider}/`));
  return own.map(([, id]) => `${id.slice(0, id.indexOf('/'))}/*`);
}

/** The budgets of a key alone: those that name it, that it names, or that stand at all of its models. */
function budgetsOf(
  { id, budget_id: named }: VirtualKey,
  { budgets, model_configs: configs }: BifrostGovernance,
): Budget[] {
  const ofModels = configs.filter((one) => isOfKey(one) && one.scope_id === id).map((one) => one.budget_id);
  return budgets.filter((one) => one.virtual_key_id === id || one.id === named || ofModels.includes(one.id));
}

/** Budgets of customers hold for their account, those of teams for its keys together; limits of tokens, too. */
function addShared(
  governance: BifrostGovernance,
  accounts: ReadonlyMap<string, AccountToTake>,
  taken: ReadonlyMap<string, string>,
  context: Context,
): void {
  const { budgets, customers, teams, virtual_keys: keys, rate_limits: limits } = governance;
  const limitsOf = (id: string | null | undefined) =>
    limits.filter((one) => one.id === id && isTokenBudget(one, false));
  for (const customer of customers) {
    const account = accounts.get(`bifrost:customer:${customer.id.toLowerCase()}`);
    const own = budgets.filter((one) => one.customer_id === customer.id || one.id === customer.budget_id);
    if (!account) continue;
    for (const budget of own) add(account, `customer ${budget.id}`, [], budget, context);
    for (const limit of limitsOf(customer.rate_limit_id)) addTokens(account, 'tokens', customer.id, [], limit, context);
  }
  for (const team of teams) {
    const held = keys.filter(({ team_id: id }) => id === team.id).flatMap(({ id }) => taken.get(id) ?? []);
    const reference = team.customer_id == null ? `team:${team.id}` : `customer:${team.customer_id}`;
    const account = accounts.get(`bifrost:${reference.toLowerCase()}`);
    if (!account || held.length === 0) continue;
    const own = budgets.filter((one) => one.team_id === team.id || one.id === team.budget_id);
    const tokens = limitsOf(team.rate_limit_id);
    const ofKeys = team.customer_id == null ? [] : held;
    const name = `team ${team.name ?? team.id}`;
    for (const budget of own) add(account, `${name} ${budget.id}`, ofKeys, budget, context);
    for (const limit of tokens) addTokens(account, `tokens of ${name}`, team.id, ofKeys, limit, context);
    if (team.customer_id != null && own.length + tokens.length > 0)
      context.report.changed(
        'governance.budgets.team_id',
        'a budget of the keys that came; new keys of the team are added by hand',
      );
  }
}

function add(account: AccountToTake, name: string, keys: string[], budget: Budget, { report }: Context): void {
  const limitUsd = usd(budget.max_limit);
  if (limitUsd === null) {
    report.left('governance.budgets.max_limit', 'more than a billion dollars is no limit here');
    return;
  }
  const told = { setting: 'governance.budgets.reset_duration', told: budget.reset_duration };
  const window = windowOfSeconds(secondsOf(budget.reset_duration), told, report);
  account.budgets.push({
    name: name.slice(0, 100),
    keys,
    limitUsd,
    window,
    openingUsd: usd(budget.current_usage ?? 0) ?? '0',
  });
  report.carried('governance.budgets.max_limit', 'a hard budget');
  if (!budget.calendar_aligned && window !== 'total')
    report.changed(
      'governance.budgets (rolling)',
      'windows begin by the calendar of UTC, not when the budget was made',
    );
}

/**
 * A limit of tokens as a budget. Each has a name of its own by whose it is (`ownerId`) and which, so that a
 * second run knows it again.
 */
function addTokens(
  account: AccountToTake,
  name: string,
  ownerId: string,
  keys: string[],
  limit: RateLimit,
  { report }: Context,
): void {
  const { token_reset_duration: duration, token_current_usage: used } = limit;
  const setting = 'governance.rate_limits.token_reset_duration';
  const seconds = secondsOf(duration ?? '');
  if (seconds === 0) {
    report.left(setting, `nobody knows how long ${duration ?? 'its window'} is: tollgate budgets create --tokens`);
    return;
  }
  const limitTokens = tokensOf(limit, 'a hard budget in tokens', report);
  if (limitTokens === null) return;
  const window = windowOfSeconds(seconds, { setting, told: duration ?? '' }, report);
  if (['day', 'week', 'month'].includes(window))
    report.changed(setting, 'windows begin by the calendar of UTC, not when the limit was made');
  const which = createHash('sha256')
    .update(JSON.stringify([ownerId, limit.id]))
    .digest('hex')
    .slice(0, 16);
  account.budgets.push({
    ...{ name: `${name.slice(0, 80)} ${which}`, keys, limitTokens, window },
    openingTokens: Math.min(Math.max(0, Math.floor(used ?? 0)), Number.MAX_SAFE_INTEGER),
  });
}

/** Tells what stands in the section that no account, key or budget of ours holds. */
function tellUnread(
  { virtual_keys: keys, budgets, model_configs: configs }: BifrostGovernance,
  report: SettingsReport,
): void {
  const byHand = 'a budget is not of a model or provider: give that use a key of its own, with models and a budget';
  const places = keys.flatMap(({ provider_configs: all }) => all);
  report.left(
    'governance.virtual_keys.provider_configs.key_ids',
    'a key here may use every place of its models: a model of its own has places of its own',
    places.filter(({ key_ids: ids }) => ids != null && ids.length > 0 && !ids.includes('*')).length,
  );
  report.left(
    'governance.virtual_keys.provider_configs.weight',
    'callers name the provider, or deployments of one model share them out by weight',
    keys.filter(({ provider_configs: all }) => all.length > 1).length,
  );
  report.left(
    'governance.budgets.provider_config_id',
    byHand,
    budgets.filter((one) => one.provider_config_id != null).length,
  );
  report.left(
    'governance.virtual_keys.provider_configs.budget_id',
    byHand,
    places.filter((one) => one.budget_id != null).length,
  );
  report.left('governance.model_configs', byHand, configs.filter((one) => !isOfKey(one)).length);
  const limits =
    'requests a minute are of a key: tollgate keys create --rpm; tokens of models: tollgate budgets create --tokens';
  report.left(
    'governance.virtual_keys.provider_configs.rate_limit_id',
    limits,
    places.filter((one) => one.rate_limit_id != null).length,
  );
}
