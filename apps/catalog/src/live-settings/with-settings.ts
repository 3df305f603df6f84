import type { ModelEntry, Settings, SettingsProvider, TollgateFile } from '@tollgate/configuration';
import { builtInProviders } from '@tollgate/providers';

/**
 * The file, and beneath it what is set without it: an entry or a section that the file has is the file's.
 * `chosen`, `chosenProviders`: of the models and providers of the settings these alone.
 */
export function withSettings(
  file: TollgateFile,
  settings: Settings,
  chosen: readonly ModelEntry[] = settings.models,
  chosenProviders: readonly SettingsProvider[] = settings.providers,
): TollgateFile {
  const models = notIn(file.models, chosen);
  const providers = notIn(file.providers, chosenProviders);
  const from = (section: 'providers' | 'models', index: number) =>
    section === 'models'
      ? settings.models.findIndex((each) => each === models[index - file.models.length])
      : settings.providers.findIndex((each) => each === providers[index - file.providers.length]);
  return {
    ...file,
    providers: [...file.providers, ...providers.map(asOfFile)],
    models: [...file.models, ...models],
    guardrails: [...file.guardrails, ...notIn(file.guardrails, settings.guardrails)],
    newModels: file.newModels ?? settings.newModels,
    locate: (path) => {
      const [section, index, ...rest] = path;
      if ((section !== 'models' && section !== 'providers') || typeof index !== 'number') return file.locate(path);
      const place = from(section, index);
      return place < 0 ? file.locate(path) : settings.locate([section, place, ...rest]);
    },
  };
}

function notIn<Entry extends { id: string }>(file: readonly { id: string }[], entries: readonly Entry[]): Entry[] {
  return entries.filter(({ id }) => !file.some((each) => each.id === id));
}

/** A server of a preset has no key of the environment either. */
function asOfFile({ keys: _, ...entry }: SettingsProvider): TollgateFile['providers'][number] {
  return isBuiltIn(entry.id) ? entry : { ...entry, apiKeyEnv: [] };
}

/** True for a provider of the release. */
export function isBuiltIn(id: string): boolean {
  return builtInProviders.some((provider) => provider.id === id);
}
