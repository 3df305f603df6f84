import { firstProblems, TollgateFileError, type ModelEntry, type Settings } from '@tollgate/configuration';
import type { SettingsEntry } from '@tollgate/contracts/catalog';
import { catalogOf, type ReadFile } from '../configuration-file/read-catalog';
import { fittingProviders, nothingGiven, type ForProviders } from './fitting-providers';
import { withSettings } from './with-settings';

/** How an entry or a section is called in a set of those that may be passed over. */
export function entryName({ section, id }: Pick<SettingsEntry, 'section' | 'id'>): string {
  return `${section} ${id ?? ''}`;
}

/**
 * Checks that settings fit the file and the release; keys of providers may be given later. `passed`: names of
 * entries that need not fit, since they are not looked at.
 * @throws TollgateFileError naming line, column and field of the first faults.
 */
export function checkSettings(
  read: ReadFile,
  settings: Settings,
  passed: ReadonlySet<string> = new Set(),
  given: ForProviders = nothingGiven,
  priced: ReadonlySet<string> = new Set(),
): void {
  const isChosen = (section: 'providers' | 'models') => (entry: { id: string }) =>
    !passed.has(entryName({ section, id: entry.id }));
  const chosen = settings.models.filter(isChosen('models'));
  const providers = fittingProviders(read, settings, given).filter(({ entry }) => isChosen('providers')(entry));
  const problems = [
    ...ofTheFile(read, settings, passed),
    ...providers.flatMap(({ problem }) => problem ?? []),
    ...chosen.flatMap((entry) => unknownModel(read, settings, entry, priced) ?? []),
  ];
  if (problems.length > 0) throw new TollgateFileError(firstProblems(problems, (problem) => problem));
  const known = providers.map(({ entry }) => entry);
  catalogOf(withSettings(read.file, settings, chosen, known));
}

/** Entries and sections that the file has: they are changed there. */
function ofTheFile({ file }: ReadFile, settings: Settings, passed: ReadonlySet<string>): string[] {
  const { providers, models, plans, guardrails, newModels, locate } = settings;
  const isHeld = (section: 'providers' | 'models' | 'guardrails', id: string) =>
    !passed.has(entryName({ section, id })) && file[section].some((each) => each.id === id);
  const held = (section: 'providers' | 'models' | 'guardrails', entries: readonly { id: string }[]) =>
    entries.flatMap(({ id }, index) =>
      isHeld(section, id) ? [`${locate([section, index])}: ${id} stands in tollgate.yaml: change it there`] : [],
    );
  const isHeldWhole =
    newModels !== null && file.newModels !== null && !passed.has(entryName({ section: 'newModels', id: null }));
  return [
    ...held('providers', providers),
    ...held('models', models),
    ...Object.keys(plans)
      .filter((id) => Object.hasOwn(file.plans, id) && !passed.has(entryName({ section: 'plans', id })))
      .map((id) => `${locate(['plans', id])}: ${id} stands in tollgate.yaml: change it there`),
    ...held('guardrails', guardrails),
    ...(isHeldWhole ? [`${locate(['newModels'])}: stands in tollgate.yaml: change it there`] : []),
  ];
}

/**
 * Why a model of the settings is none of the release and the file, and no new one either, whose price was
 * set; null: it is one of these.
 */
export function unknownModel(
  { catalog }: ReadFile,
  { models, locate }: Settings,
  entry: ModelEntry,
  priced: ReadonlySet<string>,
): string | null {
  if (priced.has(entry.id) || catalog.models.some(({ id }) => id === entry.id)) return null;
  const where = locate(['models', models.indexOf(entry)]);
  return `${where}: there is no model ${entry.id}: a new one needs a price first (tollgate prices set)`;
}
