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
 * at least. Tokens of a minute stay so; of another length of time, they become the same number a month.
 */
export function ratesOf(virtual: VirtualKey, governance: BifrostGovernance, report: SettingsReport): KeyRates {
  const { teams, customers, model_configs: configs, rate_limits: limits } = governance;
  const team = teams.find(({ id }) => id === virtual.team_id);
  const customer = customers.find(({ id }) => id === (virtual.customer_id ?? team?.customer_id));
  const ofModels = configs.filter((one) => isOfKey(one) && one.scope_id === virtual.id);
  const own = new Set([
    virtual.rate_limit_id,
    ...ofModels.flatMap((one) => [one.rate_limit_id, ...(one.rate_limit_ids ?? [])]),
  ]);
  const shared = new Set([team?.rate_limit_id, customer?.rate_limit_id]);
  const ofKey = limits.filter(({ id }) => own.has(id));
  const ofOthers = limits.filter(({ id }) => shared.has(id));
  if (ofOthers.length > 0)
    report.changed(
      'rate_limit_id (teams, customers)',
      'it is the limit of each key: keys of one team together may ask more often',
    );
  const all = [...ofKey, ...ofOthers];
  return {
    rpm: least(all.map((limit) => perMinute(limit, report))),
    tpm: least(all.map((limit) => tokensPerMinute(limit, report))),
    quotaTokens: least(all.map((limit) => perMonth(limit, report))),
  };
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
  const { token_max_limit: most } = limit;
  if (most == null || !isOfMinute(limit)) return null;
  report.carried('governance.rate_limits.token_max_limit', 'tokens a minute of the key');
  return Math.floor(most);
}

const isOfMinute = ({ token_reset_duration: duration }: RateLimit): boolean => secondsOf(duration ?? '') === minuteS;

function perMonth(limit: RateLimit, report: SettingsReport): number | null {
  const { token_max_limit: most, token_reset_duration: duration } = limit;
  if (most == null || isOfMinute(limit)) return null;
  const setting = 'governance.rate_limits.token_max_limit';
  const seconds = secondsOf(duration ?? '');
  if (seconds === monthS || most === 0) {
    report.carried(setting, 'tokens of the key in a calendar month (UTC)');
    return Math.floor(most);
  }
  if (seconds > monthS || seconds === 0) {
    report.left(setting, 'tokens are limited by the month: tollgate keys create --quota');
    return null;
  }
  report.changed(
    setting,
    `${most} in ${duration} become as many in a calendar month, which is stricter; tollgate keys create --quota, or --tpm`,
  );
  return Math.floor(most);
}

function least(limits: readonly (number | null)[]): number | null {
  const set = limits.filter((limit) => limit !== null);
  return set.length === 0 ? null : Math.min(...set);
}
