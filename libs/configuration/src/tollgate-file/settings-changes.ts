import type { SettingsChange } from '@tollgate/contracts/catalog';
import { isDeepStrictEqual } from 'node:util';
import { writtenModels, type ProviderEntry } from './provider-entry';
import type { Settings } from './settings-document';

/** What is another in `after`, entry by entry. What is only written in another way is no change. */
export function settingsChanges(before: Settings, after: Settings): SettingsChange[] {
  return [
    ...entryChanges('providers', before.providers.map(asWritten), after.providers.map(asWritten)),
    ...entryChanges('models', before.models, after.models),
    ...entryChanges('plans', planList(before), planList(after)),
    ...entryChanges('guardrails', before.guardrails, after.guardrails),
    ...orderChange(before.guardrails, after.guardrails),
    ...wholeChange('newModels', before.newModels, after.newModels),
  ];
}

type Entry = { id: string };

function asWritten({ models, ...entry }: ProviderEntry): Entry & { models?: unknown } {
  return models === undefined ? entry : { ...entry, models: writtenModels(models) };
}

const planList = ({ plans }: Settings): Entry[] => Object.entries(plans).map(([id, limits]) => ({ ...limits, id }));

function entryChanges(
  section: 'providers' | 'models' | 'plans' | 'guardrails',
  before: readonly Entry[],
  after: readonly Entry[],
): SettingsChange[] {
  const old = new Map(before.map((entry) => [entry.id, entry]));
  const now = new Map(after.map((entry) => [entry.id, entry]));
  const ids = [...old.keys(), ...[...now.keys()].filter((id) => !old.has(id))];
  return ids.flatMap((id): SettingsChange[] => {
    const [from, to] = [old.get(id), now.get(id)];
    const fields = fieldChanges(from ?? {}, to ?? {});
    if (from && to && fields.length === 0) return [];
    return [{ section, id, what: !from ? 'added' : to ? 'changed' : 'removed', fields }];
  });
}

function fieldChanges(before: object, after: object): SettingsChange['fields'] {
  const old = new Map<string, unknown>(Object.entries(before));
  const now = new Map<string, unknown>(Object.entries(after));
  return [...new Set([...old.keys(), ...now.keys()])]
    .filter((field) => field !== 'id' && !isDeepStrictEqual(old.get(field), now.get(field)))
    .map((field) => ({ field, before: toJson(old.get(field)), after: toJson(now.get(field)) }));
}

/** Guardrails are applied one after the other: those that stay may change places. */
function orderChange(before: readonly Entry[], after: readonly Entry[]): SettingsChange[] {
  const kept = (list: readonly Entry[], other: readonly Entry[]) =>
    list.map(({ id }) => id).filter((id) => other.some((each) => each.id === id));
  const [old, now] = [kept(before, after), kept(after, before)];
  if (isDeepStrictEqual(old, now)) return [];
  const fields = [{ field: 'order', before: toJson(old), after: toJson(now) }];
  return [{ section: 'guardrails', id: null, what: 'changed', fields }];
}

function wholeChange(section: 'newModels', before: string | null, after: string | null): SettingsChange[] {
  if (before === after) return [];
  const what = before === null ? 'added' : after === null ? 'removed' : 'changed';
  const fields = [{ field: section, before: toJson(before ?? undefined), after: toJson(after ?? undefined) }];
  return [{ section, id: null, what, fields }];
}

/** Null: not there. */
function toJson(value: unknown): string | null {
  return value === undefined ? null : JSON.stringify(value);
}
