import type { SettingsReport } from './settings-report';
import type { LitellmDatabase } from './litellm-database';

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
