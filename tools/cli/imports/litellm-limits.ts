import type { ImportedBudget } from '@tollgate/contracts/accounts';
import { dayS, hourS, windowOfSeconds } from './budget-limits';
import { covers } from './covers';
import type { LitellmDatabase } from './litellm-database';
import type { SettingsReport } from './settings-report';
import { modelId } from './written-file';

/** A key may use what matches one of these; none: every model. */
export type Patterns = readonly string[];

const lengths: Readonly<Record<string, number>> = { s: 1, m: 60, h: hourS, d: dayS, w: 7 * dayS, mo: 30 * dayS };
/** What LiteLLM says of a key that may use no model. As a pattern it matches none. */
const noModels = 'no-default-models';

/**
 * Since when a budget of LiteLLM counts, in the windows that there are here. Its days, weeks (7d) and months
 * (30d) begin by the calendar of UTC as ours do.
 * https://docs.litellm.ai/docs/proxy/users
 */
export function windowOf(duration: string | null, report: SettingsReport): ImportedBudget['window'] {
  const told = { setting: 'budget_duration', told: duration ?? '' };
  return windowOfSeconds(duration === null ? null : secondsOf(duration), told, report);
}

/** 0: a length that nobody knows. */
function secondsOf(duration: string): number {
  const [, number = '', unit = ''] = /^(\d+)(s|mo|m|h|d|w)$/.exec(duration.trim()) ?? [];
  return Number(number) * (lengths[unit] ?? 0);
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

/**
 * Keys and teams with the models of the access groups that its database assigns them, which come on top of
 * their lists. Whose list is empty may use every model already.
 * https://docs.litellm.ai/docs/proxy/access_groups
 */
export function withAccessGroups(database: LitellmDatabase, report: SettingsReport): LitellmDatabase {
  const modelsOf = new Map(
    database.accessGroups.map(({ access_group_id: id, access_model_names: models }) => [id, models]),
  );
  const widened = <Owner extends { models: string[]; access_group_ids: string[] }>(owner: Owner): Owner => {
    const more = owner.access_group_ids.flatMap((id) => modelsOf.get(id) ?? []);
    if (owner.models.length === 0 || more.length === 0) return owner;
    report.carried('LiteLLM_AccessGroupTable.access_model_names', 'written out in the models of keys');
    return { ...owner, models: [...new Set([...owner.models, ...more])] };
  };
  return { ...database, keys: database.keys.map(widened), teams: database.teams.map(widened) };
}
