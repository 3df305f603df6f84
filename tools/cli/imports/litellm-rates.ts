import type { ImportedKey } from '@tollgate/contracts/accounts';
import { z } from 'zod';
import type { LitellmDatabase } from './litellm-database';
import type { SettingsReport } from './settings-report';

type Key = LitellmDatabase['keys'][number];
type Limited = Pick<Key, 'rpm_limit' | 'tpm_limit'>;

/** So many limits of models a key may have, and so long a pattern may be: what `keySettings` takes. */
const mostModelLimits = 50;
const longestPattern = 200;

/** What is read of a key's metadata. */
export const limitsInMetadata: readonly string[] = ['model_rpm_limit', 'model_tpm_limit'];

/** Limits by the model's name. What is none is as good as absent. */
const byModel = z
  .record(z.string(), z.number().nullable().catch(null))
  .nullish()
  .catch(null)
  .transform((limits) => limits ?? {});
/**
 * What a key's metadata holds of limits.
 * https://docs.litellm.ai/docs/proxy/users
 */
const metadata = z
  .object({ model_rpm_limit: byModel, model_tpm_limit: byModel })
  .catch({ model_rpm_limit: {}, model_tpm_limit: {} });

/**
 * The limits a minute of a key: its own, else those of the table that it names, and those of its team or
 * user, which are of each key here. Limits of models are its own only.
 */
export function ratesOf(
  key: Key,
  shared: Limited | undefined,
  owner: Limited,
  report: SettingsReport,
): Pick<ImportedKey, 'rpm' | 'tpm' | 'modelLimits'> {
  const least = (name: 'rpm_limit' | 'tpm_limit', words: string) =>
    leastOf({ own: key[name] ?? shared?.[name] ?? null, ofOwner: owner[name], name, words }, report);
  return {
    rpm: least('rpm_limit', 'requests'),
    tpm: least('tpm_limit', 'tokens'),
    modelLimits: modelLimitsOf(key.metadata, report),
  };
}

interface Least {
  own: number | null;
  ofOwner: number | null;
  name: string;
  words: string;
}

function leastOf({ own, ofOwner, name, words }: Least, report: SettingsReport): number | null {
  if (ofOwner !== null)
    report.changed(`${name} (team, user)`, 'it is the limit of each key: keys of one team together may ask more often');
  else if (own !== null) report.carried(name, `${words} a minute of the key`);
  const limits = [own, ofOwner].filter((limit) => limit !== null);
  return limits.length === 0 ? null : Math.floor(Math.min(...limits));
}

function modelLimitsOf(stored: unknown, report: SettingsReport): NonNullable<ImportedKey['modelLimits']> {
  const { model_rpm_limit: rpm, model_tpm_limit: tpm } = metadata.parse(stored);
  const limits = [...new Set([...Object.keys(rpm), ...Object.keys(tpm)])]
    .map((model) => ({ model, rpm: whole(rpm[model]), tpm: whole(tpm[model]) }))
    .filter((limit) => limit.rpm !== null || limit.tpm !== null);
  const taken = limits.filter(({ model }) => model !== '' && model.length <= longestPattern).slice(0, mostModelLimits);
  const setting = 'metadata.model_rpm_limit, model_tpm_limit';
  report.changed(
    setting,
    'limits a minute by the id of the model: of an alias, write the id (tollgate keys limits)',
    taken.length,
  );
  report.left(setting, `a key has ${mostModelLimits} limits of models at most`, limits.length - taken.length);
  return taken;
}

const whole = (limit: number | null | undefined): number | null =>
  limit == null ? null : Math.max(0, Math.floor(limit));
