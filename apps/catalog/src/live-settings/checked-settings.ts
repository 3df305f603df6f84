import {
  firstProblems,
  parseSettings,
  TollgateFileError,
  type ModelEntry,
  type Settings,
} from '@tollgate/configuration';
import { catalogOf, type ReadFile } from '../configuration-file/read-catalog';
import { withSettings } from './with-settings';

/**
 * The settings of a document that fits the file and the release.
 * @throws TollgateFileError naming line, column and field of everything that is wrong.
 */
export function checkedSettings(read: ReadFile, document: string): Settings {
  const settings = parseSettings(document);
  const problems = [
    ...ofTheFile(read, settings),
    ...settings.models.flatMap((entry) => unknownModel(read, settings, entry) ?? []),
  ];
  if (problems.length > 0) throw new TollgateFileError(firstProblems(problems, (problem) => problem));
  catalogOf(withSettings(read.file, settings));
  return settings;
}

/** Entries and sections that the file has: they are changed there. */
function ofTheFile({ file }: ReadFile, { models, guardrails, newModels, locate }: Settings): string[] {
  const held = (section: 'models' | 'guardrails', entries: readonly { id: string }[]) =>
    entries.flatMap(({ id }, index) =>
      file[section].some((each) => each.id === id)
        ? [`${locate([section, index])}: ${id} stands in tollgate.yaml: change it there`]
        : [],
    );
  return [
    ...held('models', models),
    ...held('guardrails', guardrails),
    ...(newModels !== null && file.newModels !== null
      ? [`${locate(['newModels'])}: stands in tollgate.yaml: change it there`]
      : []),
  ];
}

/** Why a model of the settings is none of the release and the file; null: it is one. */
export function unknownModel({ catalog }: ReadFile, { models, locate }: Settings, entry: ModelEntry): string | null {
  if (catalog.models.some(({ id }) => id === entry.id)) return null;
  const where = locate(['models', models.indexOf(entry)]);
  return `${where}: there is no model ${entry.id}: a new one stands in tollgate.yaml, with its price`;
}
