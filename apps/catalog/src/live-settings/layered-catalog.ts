import { parseSettings, TollgateFileError, type ModelEntry, type Settings } from '@tollgate/configuration';
import type { SettingsEntry } from '@tollgate/contracts';
import { catalogOf, type ReadFile } from '../configuration-file/read-catalog';
import type { EffectiveCatalog } from '../effective/effective-catalog';
import { unknownModel } from './checked-settings';
import { withSettings } from './with-settings';

/** The catalog that the file and the settings beneath it make, and where each entry comes from. */
export interface LayeredCatalog {
  catalog: EffectiveCatalog;
  entries: SettingsEntry[];
}

/** An entry of the settings that does not fit, and why. */
interface Unfit {
  id: string;
  problem: string;
}

/**
 * Lays a document of settings beneath the file. It was checked when it was applied; the file and the release
 * may be others since. What does not fit any more is set aside, entry by entry, and the rest holds: so every
 * instance comes to the same, whatever it had in force before.
 */
export function layeredCatalog(read: ReadFile, document: string): LayeredCatalog {
  const ofFile = fileEntries(read);
  if (document === '') return { catalog: read.catalog, entries: ofFile };
  let settings: Settings;
  try {
    settings = parseSettings(document);
  } catch (error) {
    const whole = { section: 'models', id: null, origin: 'settings', standing: 'set-aside' } as const;
    return { catalog: read.catalog, entries: [...ofFile, { ...whole, problem: problemOf(error) }] };
  }
  const { catalog, unfit } = fitting(read, settings);
  return { catalog, entries: [...ofFile, ...settingsEntries(read, settings, unfit)] };
}

function fitting(read: ReadFile, settings: Settings): { catalog: EffectiveCatalog; unfit: Unfit[] } {
  const unfit: Unfit[] = [];
  const known: ModelEntry[] = [];
  for (const entry of settings.models) {
    const problem = unknownModel(read, settings, entry);
    if (problem === null) known.push(entry);
    else unfit.push({ id: entry.id, problem });
  }
  try {
    return { catalog: catalogOf(withSettings(read.file, settings, known)), unfit };
  } catch (error) {
    problemOf(error);
  }
  let kept: ModelEntry[] = [];
  let catalog = catalogOf(withSettings(read.file, settings, kept));
  for (const entry of known)
    try {
      catalog = catalogOf(withSettings(read.file, settings, [...kept, entry]));
      kept = [...kept, entry];
    } catch (error) {
      unfit.push({ id: entry.id, problem: problemOf(error) });
    }
  return { catalog, unfit };
}

/** @throws what is no fault of a document. */
function problemOf(error: unknown): string {
  if (error instanceof TollgateFileError) return error.problems.join('\n');
  throw error;
}

function fileEntries({ file }: ReadFile): SettingsEntry[] {
  const entry = (section: SettingsEntry['section'], id: string | null): SettingsEntry => {
    return { section, id, origin: 'file', standing: 'in-force', problem: null };
  };
  return [
    ...file.providers.map(({ id }) => entry('providers', id)),
    ...file.models.map(({ id }) => entry('models', id)),
    ...Object.keys(file.plans).map((plan) => entry('plans', plan)),
    ...file.guardrails.map(({ id }) => entry('guardrails', id)),
    ...(file.contentLog ? [entry('contentLog', null)] : []),
    ...(file.newModels === null ? [] : [entry('newModels', null)]),
  ];
}

function settingsEntries({ file }: ReadFile, settings: Settings, unfit: readonly Unfit[]): SettingsEntry[] {
  const origin = 'settings' as const;
  const entry = (section: 'models' | 'guardrails', id: string): SettingsEntry => {
    if (file[section].some((each) => each.id === id))
      return { section, id, origin, standing: 'overridden', problem: null };
    const fault = section === 'models' ? unfit.find((each) => each.id === id) : undefined;
    return { section, id, origin, standing: fault ? 'set-aside' : 'in-force', problem: fault?.problem ?? null };
  };
  return [
    ...settings.models.map(({ id }) => entry('models', id)),
    ...settings.guardrails.map(({ id }) => entry('guardrails', id)),
    ...(settings.newModels === null
      ? []
      : [
          {
            ...{ section: 'newModels' as const, id: null, origin, problem: null },
            standing: file.newModels === null ? ('in-force' as const) : ('overridden' as const),
          },
        ]),
  ];
}
