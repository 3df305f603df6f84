import type { ImportedBudget } from '@tollgate/contracts';
import type { SettingsReport } from './settings-report';
import { modelId } from './written-file';

/** A key may use what matches one of these; none: every model. */
export type Patterns = readonly string[];

const hour = 3_600;
const day = 24 * hour;
const lengths: Readonly<Record<string, number>> = { s: 1, m: 60, h: hour, d: day, w: 7 * day, mo: 30 * day };
/** What LiteLLM says of a key that may use no model. As a pattern it matches none. */
const noModels = 'no-default-models';
/** Budgets here are at most a billion dollars. */
const mostUsd = 999_999_999;

/**
 * Since when a budget of LiteLLM counts, in the windows that there are here. Its days, weeks (7d) and months
 * (30d) begin by the calendar of UTC as ours do.
 * Another length becomes the next longer window with the same limit, so that nobody may spend more than
 * before.
 * https://docs.litellm.ai/docs/proxy/users
 */
export function windowOf(duration: string | null, report: SettingsReport): ImportedBudget['window'] {
  if (duration === null) return 'total';
  const [, number = '', unit = ''] = /^(\d+)(s|mo|m|h|d|w)$/.exec(duration.trim()) ?? [];
  const seconds = Number(number) * (lengths[unit] ?? 0);
  const window =
    seconds > 30 * day || seconds === 0 ? 'total' : seconds > 7 * day ? 'month' : seconds > day ? 'week' : 'day';
  const isSame = [day, 7 * day, 30 * day].includes(seconds);
  if (isSame) report.carried('budget_duration', 'windows of a day, week (from Monday) or month, UTC');
  else
    report.changed(
      'budget_duration',
      `${duration} is not there: the same limit in the next longer window (${window}), which is stricter; tollgate budgets change`,
    );
  return window;
}

/** US dollars as a decimal string; null: an amount that no budget has. */
export function usd(amount: number): string | null {
  if (!Number.isFinite(amount) || amount > mostUsd) return null;
  return Math.max(0, amount)
    .toFixed(9)
    .replace(/\.?0+$/, '');
}

/** What of `own` the owner may use too: the list of a key within that of its team. */
export function within(own: Patterns, ofOwner: Patterns): string[] {
  if (own.length === 0 || own.includes('*')) return [...ofOwner];
  if (ofOwner.length === 0 || ofOwner.includes('*')) return [...own];
  const both = [
    ...own.filter((name) => ofOwner.some((pattern) => covers(pattern, name))),
    ...ofOwner.filter((name) => own.some((pattern) => covers(pattern, name))),
  ];
  return both.length === 0 ? [noModels] : [...new Set(both)];
}

/**
 * A list of LiteLLM with its access groups and special names written out. `ofTeam`: what `all-team-models`
 * stands for.
 */
export function writtenOut(list: Patterns, groups: ReadonlyMap<string, Patterns>, ofTeam: Patterns): string[] {
  return list.flatMap((name) => {
    if (name === 'all-proxy-models') return ['*'];
    if (name === 'all-team-models') return ofTeam.length === 0 ? ['*'] : [...ofTeam];
    return [...(groups.get(name) ?? [modelId(name)])];
  });
}

function covers(pattern: string, name: string): boolean {
  const source = pattern.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${source.join('.*')}$`, 's').test(name);
}
