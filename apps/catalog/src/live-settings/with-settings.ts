import type { ModelEntry, Settings, TollgateFile } from '@tollgate/configuration';

/**
 * The file, and beneath it what is set without it: an entry or a section that the file has is the file's.
 * `chosen`: of the models of the settings these alone.
 */
export function withSettings(
  file: TollgateFile,
  settings: Settings,
  chosen: readonly ModelEntry[] = settings.models,
): TollgateFile {
  const models = notIn(file.models, chosen);
  return {
    ...file,
    models: [...file.models, ...models],
    guardrails: [...file.guardrails, ...notIn(file.guardrails, settings.guardrails)],
    newModels: file.newModels ?? settings.newModels,
    locate: (path) => {
      const [section, index, ...rest] = path;
      const entry = section === 'models' && typeof index === 'number' ? models[index - file.models.length] : undefined;
      return entry ? settings.locate(['models', settings.models.indexOf(entry), ...rest]) : file.locate(path);
    },
  };
}

function notIn<Entry extends { id: string }>(file: readonly { id: string }[], entries: readonly Entry[]): Entry[] {
  return entries.filter(({ id }) => !file.some((each) => each.id === id));
}
