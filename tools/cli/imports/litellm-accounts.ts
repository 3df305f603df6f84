import {
  emailAddress,
  type ImportedAccount,
  type ImportedBudget,
  type ImportedKey,
} from '@tollgate/contracts/accounts';
import { usd } from './budget-limits';
import { calledBy, type AccountToTake, type ImportedAccounts } from './imported-accounts';
import type { SettingsReport } from './settings-report';
import type { LitellmDatabase } from './litellm-database';
import { withAccessGroups, windowOf, within, writtenOut, type Patterns } from './litellm-limits';
import { tellOtherTables } from './litellm-other-tables';
import { ratesOf } from './litellm-rates';
import { tellUnread } from './litellm-unread';

type Key = LitellmDatabase['keys'][number];
type Budgeted = Pick<Key, 'max_budget' | 'budget_duration' | 'budget_reset_at'>;
/** A team, a person or nobody: whose keys make an account. */
interface Owner extends Budgeted {
  reference: string;
  name: string;
  person: ImportedAccount['person'];
  blocked: boolean;
  models: Patterns;
  rpm_limit: number | null;
  tpm_limit: number | null;
  spend: number;
}

/**
 * What a reading needs besides the tables: `plan` is that of every account, `groups` are the access groups of
 * the configuration, `nowMs` decides what is over.
 */
interface Context {
  plan: string;
  groups: ReadonlyMap<string, Patterns>;
  report: SettingsReport;
  nowMs: number;
}

const sessions = 'litellm-dashboard';

/** Makes accounts with keys and budgets of LiteLLM's tables; the report says what became of each setting. */
export function fromLitellmDatabase(read: LitellmDatabase, context: Context): ImportedAccounts {
  const { report, nowMs } = context;
  const database = withAccessGroups(read, report);
  const owners = ownersOf(database, report);
  const plans = new Map<string, number>();
  const accounts = new Map<string, AccountToTake>();
  for (const owner of owners.values()) accounts.set(owner.reference, accountOf(owner, context));
  const keys = [...database.keys, ...formerKeys(database, report, nowMs)];
  for (const key of keys.filter((one) => isCarried(one, report, nowMs))) {
    const owner = ownerOf(key, owners);
    const account = accounts.get(owner.reference) ?? accountOf(owner, context);
    accounts.set(owner.reference, account);
    account.keys.push(keyOf(key, owner, database, context, plans));
    addBudget(account, keyBudgetName(key), [key.token], ownBudget(key, database), key.spend, context);
  }
  addSharedBudgets(database, accounts, owners, context);
  tellUnread(database, report);
  tellOtherTables(database.others, report);
  // Who has neither a key nor an address has nothing to come for.
  return {
    accounts: [...accounts.values()].filter(({ person, keys: own }) => person !== null || own.length > 0),
    plans,
  };
}

function ownersOf(database: LitellmDatabase, report: SettingsReport): Map<string, Owner> {
  const owners = new Map<string, Owner>();
  for (const team of database.teams) {
    const name = calledBy(200, team.team_alias, team.team_id);
    owners.set(`team ${team.team_id}`, { ...team, reference: teamReference(team.team_id), name, person: null });
    report.carried('LiteLLM_TeamTable', 'an account; its members sign in for accounts of their own');
  }
  for (const user of database.users) {
    const email = emailAddress.safeParse(user.user_email?.trim());
    const name = calledBy(200, user.user_alias, user.user_email, user.user_id);
    const person = email.success ? { name, email: email.data } : null;
    const reference = email.success ? email.data.toLowerCase() : `litellm:user:${user.user_id}`;
    owners.set(`user ${user.user_id}`, { ...user, reference, name, person, blocked: false });
    if (person)
      report.carried(
        'LiteLLM_UserTable.user_email',
        'an account and its person, without a password: "Forgot password", or the OpenID provider',
      );
    else report.changed('LiteLLM_UserTable', 'without an address of mail: an account that nobody signs in for');
    if (user.user_role?.startsWith('proxy_admin'))
      report.changed(
        'LiteLLM_UserTable.user_role',
        'everybody comes as a user: make administrators on the page of accounts',
      );
  }
  return owners;
}

function teamReference(id: string): string {
  return `litellm:team:${id.toLowerCase()}`;
}

/** Whose a key is: its team's, else its user's, else nobody's. */
function ownerOf({ team_id: team, user_id: user }: Key, owners: ReadonlyMap<string, Owner>): Owner {
  const known = owners.get(team === null ? `user ${user}` : `team ${team}`);
  if (known) return known;
  const [reference, name] = team === null ? ['litellm:keys', 'LiteLLM keys of nobody'] : [teamReference(team), team];
  const none = { max_budget: null, budget_duration: null, budget_reset_at: null, spend: 0 };
  const unlimited = { rpm_limit: null, tpm_limit: null };
  return { ...none, ...unlimited, reference, name, person: null, blocked: false, models: [] };
}

function accountOf(owner: Owner, context: Context): AccountToTake {
  const { reference, person, blocked } = owner;
  const account = {
    ...{ reference, person, suspended: blocked, plan: context.plan, name: owner.name },
    ...{ keys: [] as ImportedKey[], budgets: [] as ImportedBudget[] },
  };
  if (blocked) context.report.carried('blocked (team)', 'a suspended account');
  addBudget(account, 'account', [], owner, owner.spend, context);
  return account;
}

function isCarried(key: Key, report: SettingsReport, nowMs: number): boolean {
  if (key.team_id === sessions) {
    report.left('sessions of its dashboard', 'people sign in anew');
    return false;
  }
  if (key.expires !== null && key.expires <= nowMs) {
    report.left('keys that have expired', 'they do not work there either');
    return false;
  }
  if (/^[0-9a-f]{64}$/.test(key.token)) return true;
  report.left('LiteLLM_VerificationToken.token', 'it is no SHA-256: give this caller a new key');
  return false;
}

function keyOf(
  key: Key,
  owner: Owner,
  database: LitellmDatabase,
  { groups, report }: Context,
  plans: Map<string, number>,
): ImportedKey {
  const shared = database.budgets.find(({ budget_id: id }) => id === key.budget_id);
  report.carried('LiteLLM_VerificationToken.token', 'the caller keeps its key');
  const ofOwner = writtenOut(owner.models, groups, []);
  const models = within(writtenOut(key.models, groups, ofOwner), ofOwner).filter((name) => name !== '*');
  if (models.length > 0) report.carried('models', 'patterns of models of the key, within those of its team');
  const parallel = key.max_parallel_requests ?? shared?.max_parallel_requests ?? null;
  const plan = parallel === null ? undefined : `parallel-${parallel}`;
  if (plan !== undefined && parallel !== null) {
    plans.set(plan, parallel);
    report.carried('max_parallel_requests', 'a plan of that concurrency (plans of tollgate.yaml)');
  }
  const project = projectOf(key.project_id ?? '', database);
  if (project !== '') report.carried('LiteLLM_ProjectTable', 'a project of its keys');
  if (key.blocked) report.changed('blocked (key)', 'the key comes revoked, and stays so');
  if (key.expires !== null) report.carried('expires', 'it ends at the same time');
  const spent = Math.max(key.spend, key.total_spend, database.logged.get(key.token) ?? 0);
  return {
    sha256: key.token,
    display: displayOf(key.key_name),
    name: nameOf(key),
    revoked: key.blocked,
    openingUsd: usd(spent) ?? '0',
    ...ratesOf(key, shared, owner, report),
    quotaTokens: null,
    models,
    ...(project !== '' && { project }),
    ...(plan !== undefined && { plan }),
    ...(key.expires !== null && { expiresAt: key.expires }),
  };
}

/** Its own budget, else that of the table which it names. */
function ownBudget(key: Key, { budgets }: LitellmDatabase): Budgeted {
  if (key.max_budget !== null) return key;
  const shared = budgets.find(({ budget_id: id }) => id === key.budget_id);
  return shared ? { ...shared, budget_reset_at: key.budget_reset_at } : key;
}

/** Budgets of a project, and of a member of a team: they hold for some keys of one account together. */
function addSharedBudgets(
  database: LitellmDatabase,
  accounts: ReadonlyMap<string, AccountToTake>,
  owners: ReadonlyMap<string, Owner>,
  context: Context,
): void {
  const shared = [
    ...database.projects.map((one) => ({
      ...{ name: `project ${projectOf(one.project_id, database)}`, budgetId: one.budget_id, spend: one.spend },
      project: projectOf(one.project_id, database),
      has: (key: Key) => key.project_id === one.project_id,
    })),
    ...database.members.map((one) => ({
      ...{ name: `member ${one.user_id}`, budgetId: one.budget_id, spend: one.spend },
      project: undefined,
      has: (key: Key) => key.team_id === one.team_id && key.user_id === one.user_id,
    })),
  ];
  for (const { name, project, budgetId, spend, has } of shared) {
    const budget = database.budgets.find(({ budget_id: id }) => id === budgetId);
    if (!budget || budget.max_budget === null) continue;
    const byAccount = new Map<string, string[]>();
    for (const key of database.keys.filter(has)) {
      const { reference } = ownerOf(key, owners);
      byAccount.set(reference, [...(byAccount.get(reference) ?? []), key.token]);
    }
    for (const [reference, tokens] of byAccount) {
      const account = accounts.get(reference);
      const own = new Set(account?.keys.map(({ sha256 }) => sha256));
      const held = tokens.filter((token) => own.has(token));
      if (account && held.length > 0) addBudget(account, name, held, budget, spend, context, project);
    }
  }
}

/** What a project is called here: by its alias, where no other has that. */
function projectOf(id: string, { projects }: LitellmDatabase): string {
  const alias = projects.find(({ project_id: other }) => other === id)?.project_alias?.trim();
  const isOnly = projects.filter(({ project_alias: other }) => other?.trim() === alias).length === 1;
  return (alias !== undefined && alias !== '' && isOnly ? alias : id).slice(0, 100);
}

function addBudget(
  account: AccountToTake,
  name: string,
  keys: string[],
  { max_budget: limit, budget_duration: duration, budget_reset_at: resetAt }: Budgeted,
  spent: number,
  { report, nowMs }: Context,
  project?: string,
): void {
  if (limit === null) return;
  const limitUsd = usd(limit);
  if (limitUsd === null) {
    report.left('max_budget', 'more than a billion dollars is no limit here');
    return;
  }
  const isOver = resetAt !== null && resetAt <= nowMs;
  const window = windowOf(duration, report);
  account.budgets.push({
    name: name.slice(0, 100),
    keys,
    ...(project !== undefined && { project }),
    limitUsd,
    window,
    openingUsd: isOver ? '0' : (usd(spent) ?? '0'),
  });
  report.carried('max_budget', 'a budget with what was spent in its window as an opening');
}

/** Each budget of an account has a name of its own, so that a second run knows it again. */
function keyBudgetName(key: Key): string {
  return `key ${nameOf(key).slice(0, 80)} ${key.token.slice(0, 8)}`;
}

function nameOf(key: Key): string {
  return calledBy(100, key.key_alias, key.key_name, key.token.slice(0, 8));
}

/** LiteLLM shows `sk-...abcd`. */
function displayOf(name: string | null): string {
  return name !== null && /^sk-\.\.\.\S{1,8}$/.test(name) ? name.replace('...', '…') : 'sk-…';
}

/** Keys that were rotated and go on for a while, with the settings of those that took their place. */
function formerKeys({ former, keys }: LitellmDatabase, report: SettingsReport, nowMs: number): Key[] {
  return former.flatMap(({ token, active_token_id: active, revoke_at: endsAt }) => {
    const successor = keys.find((key) => key.token === active);
    if (!successor || endsAt === null || endsAt <= nowMs) return [];
    report.carried('LiteLLM_DeprecatedVerificationToken', 'a rotated key goes on until its time is over');
    const none = { spend: 0, total_spend: 0, max_budget: null, budget_id: null };
    return [{ ...successor, ...none, token, key_name: null, expires: endsAt }];
  });
}
