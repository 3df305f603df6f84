import { isOfKey, type BifrostGovernance } from './bifrost-governance';
import { secondsOf } from './bifrost-values';
import type { SettingsReport } from './settings-report';

type VirtualKey = BifrostGovernance['virtual_keys'][number];
type RateLimit = BifrostGovernance['rate_limits'][number];

const minuteS = 60;
const monthS = 30 * 86_400;

/**
 * What a key may ask at most: requests and tokens a minute, tokens in a calendar month; null: as much as it
 * likes.
 */
export interface KeyRates {
  rpm: number | null;
  tpm: number | null;
  quotaTokens: number | null;
}

/**
 * The limits of a key: its own, and those of its team and its customer, which are of each key here. Requests
 * of another length of time than a minute become as many a minute as never let more through, but one a minute
 * at least. Tokens of a minute stay so, and those of the key alone in a month; the others are budgets
 * (`isTokenBudget`).
 */
export function ratesOf(virtual: VirtualKey, governance: BifrostGovernance, report: SettingsReport): KeyRates {
  const { teams, customers, rate_limits: limits } = governance;
  const team = teams.find(({ id }) => id === virtual.team_id);
  const customer = customers.find(({ id }) => id === (virtual.customer_id ?? team?.customer_id));
  const shared = new Set([team?.rate_limit_id, customer?.rate_limit_id]);
  const ofKey = ownLimits(virtual, governance);
  const ofOthers = limits.filter(({ id }) => shared.has(id));
  if (ofOthers.some((one) => one.request_max_limit != null || isOfMinute(one)))
    report.changed(
      'rate_limit_id (teams, customers)',
      'it is the limit of each key: keys of one team together may ask more often',
    );
  const all = [...ofKey, ...ofOthers];
  return {
    rpm: least(all.map((limit) => perMinute(limit, report))),
    tpm: least(all.map((limit) => tokensPerMinute(limit, report))),
    quotaTokens: least([...ofKey, ...ofOthers.filter(isOfNothing)].map((limit) => perMonth(limit, report))),
  };
}

/** The limits of a key alone: those that it names, or that stand at all of its models. */
export function ownLimits(
  virtual: VirtualKey,
  { model_configs: configs, rate_limits: limits }: BifrostGovernance,
): RateLimit[] {
  const ofModels = configs.filter((one) => isOfKey(one) && one.scope_id === virtual.id);
  const own = new Set([
    virtual.rate_limit_id,
    ...ofModels.flatMap((one) => [one.rate_limit_id, ...(one.rate_limit_ids ?? [])]),
  ]);
  return limits.filter(({ id }) => own.has(id));
}

/** Whether a limit is a budget in tokens: of another length than a minute, and of a key alone than a month. */
export function isTokenBudget(limit: RateLimit, isOfKeyAlone: boolean): boolean {
  if (limit.token_max_limit == null || isOfNothing(limit) || isOfMinute(limit)) return false;
  return !isOfKeyAlone || !isOfMonth(limit);
}

function perMinute(
  { request_max_limit: most, request_reset_duration: duration }: RateLimit,
  report: SettingsReport,
): number | null {
  if (most == null) return null;
  const setting = 'governance.rate_limits.request_max_limit';
  const seconds = secondsOf(duration ?? '');
  if (seconds === minuteS) {
    report.carried(setting, 'requests a minute of the key');
    return Math.floor(most);
  }
  if (most === 0) {
    report.carried(setting, 'a key that may ask nothing');
    return 0;
  }
  if (seconds === 0) {
    report.left(setting, `nobody knows how long ${duration ?? 'its window'} is: tollgate keys create --rpm`);
    return null;
  }
  const rpm = Math.floor((most * minuteS) / Math.max(seconds, minuteS));
  if (rpm === 0) {
    report.changed(setting, `${most} in ${duration} become 1 a minute, which may let more through in a day`);
    return 1;
  }
  report.changed(
    setting,
    `${most} in ${duration} become ${rpm} a minute, which is stricter; tollgate keys create --rpm`,
  );
  return rpm;
}

function tokensPerMinute(limit: RateLimit, report: SettingsReport): number | null {
  if (limit.token_max_limit == null || !isOfMinute(limit)) return null;
  return tokensOf(limit, 'tokens a minute of the key', report);
}

const isOfMinute = ({ token_reset_duration: duration }: RateLimit): boolean => secondsOf(duration ?? '') === minuteS;
const isOfMonth = ({ token_reset_duration: duration }: RateLimit): boolean => secondsOf(duration ?? '') === monthS;
const isOfNothing = ({ token_max_limit: most }: RateLimit): boolean => most === 0;

function perMonth(limit: RateLimit, report: SettingsReport): number | null {
  if (limit.token_max_limit == null || isOfMinute(limit) || isTokenBudget(limit, true)) return null;
  return tokensOf(limit, 'tokens of the key in a calendar month (UTC)', report);
}

/**
 * The tokens of a limit, which `become` something here; null, and told in the report, where so many are no
 * limit.
 */
export function tokensOf({ token_max_limit: most }: RateLimit, become: string, report: SettingsReport): number | null {
  const setting = 'governance.rate_limits.token_max_limit';
  const tokens = Math.floor(most ?? 0);
  if (!Number.isSafeInteger(tokens)) {
    report.left(setting, 'so many tokens are no limit here');
    return null;
  }
  report.carried(setting, become);
  return tokens;
}

function least(limits: readonly (number | null)[]): number | null {
  const set = limits.filter((limit) => limit !== null);
  return set.length === 0 ? null : Math.min(...set);
}
