import type { ImportedBudget } from '@tollgate/contracts/accounts';
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { usd } from './budget-limits';
import { calledBy, type AccountToTake, type ImportedAccounts } from './imported-accounts';
import type { SettingsReport } from './settings-report';

const amount = z.number().nonnegative().nullish();
const time = z.iso.datetime({ offset: true }).nullish();

/**
 * What OpenRouter's API answers of its keys.
 * https://openrouter.ai/docs/api/api-reference/api-keys/list
 */
export const openrouterKeys = z.looseObject({
  data: z.array(
    z.looseObject({
      ...{ hash: z.string().min(1), name: z.string().nullish(), label: z.string().nullish() },
      ...{ disabled: z.boolean().nullish(), limit: amount, limit_remaining: z.number().nullish() },
      ...{ limit_reset: z.string().nullish(), include_byok_in_limit: z.boolean().nullish(), usage: amount },
      ...{ byok_usage: amount, expires_at: time, workspace_id: z.string().nullish() },
    }),
  ),
});
type Key = z.output<typeof openrouterKeys>['data'][number];

/** What a reading needs besides the list. `plan` is that of every account, `nowMs` decides what is over. */
interface Context {
  /** A key that is in the list, by which its hashes are understood; null: none was given. */
  knownKey: string | null;
  plan: string;
  nowMs: number;
  report: SettingsReport;
}

const windows: Readonly<Record<string, ImportedBudget['window']>> = { daily: 'day', weekly: 'week', monthly: 'month' };

/**
 * Makes accounts with keys and budgets of OpenRouter's keys. What their hashes are is written nowhere: they
 * are taken for SHA-256 only where that of a known key is among them, and nobody keeps a key otherwise.
 */
export function fromOpenrouterKeys(keys: readonly Key[], context: Context): ImportedAccounts {
  const { knownKey, nowMs, report } = context;
  const known = knownKey === null ? null : createHash('sha256').update(knownKey).digest('hex');
  if (!keys.some(({ hash }) => hash === known)) {
    const how =
      known === null ? 'set OPENROUTER_API_KEY to one of them and run it again' : 'OPENROUTER_API_KEY is none of them';
    report.left(
      'keys',
      `whether their hashes are SHA-256 is not known (${how}): else give each caller a new one`,
      keys.length,
    );
    return { accounts: [], plans: new Map() };
  }
  const accounts = new Map<string, AccountToTake>();
  for (const key of keys) {
    if (key.expires_at != null && Date.parse(key.expires_at) <= nowMs)
      report.left('keys (expired)', 'they do not work there either');
    else if (!/^[0-9a-f]{64}$/.test(key.hash)) report.left('keys.hash', 'it is no SHA-256: give this caller a new key');
    else addKey(key, accounts, context);
  }
  return { accounts: [...accounts.values()], plans: new Map() };
}

function addKey(key: Key, accounts: Map<string, AccountToTake>, { plan, report }: Context): void {
  const workspace = key.workspace_id?.toLowerCase() ?? null;
  const reference = workspace === null ? 'openrouter:keys' : `openrouter:workspace:${workspace}`;
  const account: AccountToTake = accounts.get(reference) ?? {
    ...{
      reference,
      name: workspace === null ? 'OpenRouter keys' : `OpenRouter workspace ${workspace}`,
      person: null,
      plan,
    },
    ...{ keys: [], budgets: [] },
  };
  accounts.set(reference, account);
  report.carried('keys', 'the caller keeps its key, in the account of its workspace, which nobody signs in for');
  if (key.disabled) report.changed('keys.disabled', 'the key comes revoked, and stays so');
  if (key.expires_at != null) report.carried('keys.expires_at', 'it ends at the same time');
  account.keys.push({
    ...{ sha256: key.hash, display: displayOf(key.label), name: nameOf(key), revoked: key.disabled === true },
    ...{ openingUsd: usd(key.usage ?? 0) ?? '0', rpm: null, quotaTokens: null, models: [] },
    ...(key.expires_at != null && { expiresAt: Date.parse(key.expires_at) }),
  });
  addBudget(key, account, report);
}

function addBudget(key: Key, account: AccountToTake, report: SettingsReport): void {
  if (key.limit == null) return;
  const limitUsd = usd(key.limit);
  const window = key.limit_reset == null ? 'total' : windows[key.limit_reset];
  if (limitUsd === null || window === undefined) {
    report.left(
      'keys.limit',
      `a limit of ${key.limit} ${key.limit_reset ?? ''} has no like here: tollgate budgets create`,
    );
    return;
  }
  const left = key.limit_remaining ?? key.limit;
  account.budgets.push({
    ...{ name: `key ${nameOf(key).slice(0, 80)} ${key.hash.slice(0, 8)}`, keys: [key.hash], limitUsd, window },
    openingUsd: usd(key.limit - left) ?? '0',
  });
  report.carried('keys.limit', 'a hard budget with what was spent in its window as an opening');
  if (key.include_byok_in_limit === false && (key.byok_usage ?? 0) > 0)
    report.changed('keys.include_byok_in_limit', 'a budget counts everything, with keys of your own at providers too');
}

function nameOf({ name, label, hash }: Key): string {
  return calledBy(100, name, label, hash.slice(0, 8));
}

/** OpenRouter shows `sk-or-v1-0e6...1c96`. */
function displayOf(label: string | null | undefined): string {
  return label != null && /^sk-or-\S{1,24}\.\.\.\S{1,8}$/.test(label) ? label.replace('...', '…') : 'sk-or-…';
}
