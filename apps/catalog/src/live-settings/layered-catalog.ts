import {
  readableSettings,
  TollgateFileError,
  type ModelEntry,
  type Settings,
  type SettingsProvider,
  type UnreadablePart,
} from '@tollgate/configuration';
import type { ProviderDefinition, SettingsEntry } from '@tollgate/contracts/catalog';
import { catalogOf, type ReadFile } from '../configuration-file/read-catalog';
import type { EffectiveCatalog } from '../effective/effective-catalog';
import { unknownModel } from './checked-settings';
import {
  fittingProviders,
  missingKeys,
  nothingGiven,
  type ForProviders,
  type FittingProvider,
} from './fitting-providers';
import { withSettings } from './with-settings';

/** The catalog that the file and the settings beneath it make, and where each entry comes from. */
export interface LayeredCatalog {
  catalog: EffectiveCatalog;
  entries: SettingsEntry[];
  /** False: the settings have guardrails that this release does not understand. */
  areGuardrailsKnown: boolean;
}

/** An entry of the settings that does not fit, and why. */
interface Unfit {
  id: string;
  problem: string;
}

/**
 * Lays a document of settings beneath the file. It was checked when it was applied; the file and the release
 * may be others since. What does not fit any more is set aside, entry by entry, and the rest holds: so every
 * instance comes to the same, whatever it had in force before. `priced`: ids of models whose price was set,
 * so that they may be new.
 */
export function layeredCatalog(
  read: ReadFile,
  document: string,
  given: ForProviders = nothingGiven,
  priced: ReadonlySet<string> = new Set(),
): LayeredCatalog {
  const ofFile = fileEntries(read);
  if (document === '') return { catalog: read.catalog, entries: ofFile, areGuardrailsKnown: true };
  const { settings, unreadable } = readableSettings(document);
  const providers = fittingProviders(read, settings, given);
  const { catalog, unfit } = fitting(read, settings, providers, priced);
  const parts = unreadable.map((part) => unreadableEntry(read, part));
  return {
    catalog: { ...catalog, providers: catalog.providers.map((each) => liveOf(each, providers)) },
    entries: [
      ...ofFile,
      ...providerEntries(settings, providers, given),
      ...settingsEntries(read, settings, unfit),
      ...parts,
    ],
    areGuardrailsKnown: !parts.some(({ section, standing }) => section === 'guardrails' && standing === 'set-aside'),
  };
}

/** What inference has to know of a provider beside what the file could say of it. */
function liveOf(provider: ProviderDefinition, live: readonly FittingProvider[]): ProviderDefinition {
  const { isLive, sealedKeys } = live.find(({ entry }) => entry.id === provider.id)?.definition ?? provider;
  return { ...provider, isLive, sealedKeys };
}

/** A provider whose keys are missing stays in the catalog, so that models need not be without it, too. */
function providerEntries(
  settings: Settings,
  providers: readonly FittingProvider[],
  { keys }: ForProviders,
): SettingsEntry[] {
  return settings.providers.map(({ id }) => {
    const entry = { section: 'providers' as const, id, origin: 'settings' as const };
    const live = providers.find((each) => each.entry.id === id);
    if (!live) return { ...entry, standing: 'overridden', problem: null };
    const problem = live.problem ?? missingKeys(live, keys);
    return { ...entry, standing: problem === null ? 'in-force' : 'set-aside', problem };
  });
}

/** One that the file has is the file's, whatever it says here. */
function unreadableEntry({ file }: ReadFile, { section, id, problem }: UnreadablePart): SettingsEntry {
  const isOfFile = section !== null && isHeld(file, section, id);
  return {
    ...{ section: section ?? 'models', id, origin: 'settings' },
    ...(isOfFile ? { standing: 'overridden', problem: null } : { standing: 'set-aside', problem }),
  };
}

/** Whether the file has such an entry, or the section as a whole. */
function isHeld(file: ReadFile['file'], section: NonNullable<UnreadablePart['section']>, id: string | null): boolean {
  if (section === 'newModels') return file.newModels !== null;
  if (section === 'plans') return id !== null && Object.hasOwn(file.plans, id);
  return file[section].some((entry) => entry.id === id);
}

/**
 * As many entries as fit together, whatever their order. One may need another that stands further on, so what
 * does not fit is tried again until nothing more does. Two that need each other, beside a third that fits
 * nowhere, may be left out with it.
 */
function fitting(
  read: ReadFile,
  settings: Settings,
  live: readonly FittingProvider[],
  priced: ReadonlySet<string>,
): { catalog: EffectiveCatalog; unfit: Unfit[] } {
  const unfit: Unfit[] = [];
  let left: ModelEntry[] = [];
  for (const entry of settings.models) {
    const problem = unknownModel(read, settings, entry, priced);
    if (problem === null) left.push(entry);
    else unfit.push({ id: entry.id, problem });
  }
  const providers = live.flatMap(({ entry, definition }) => (definition ? [entry] : []));
  const layers = new FittingLayers(read, settings, providers);
  for (let before = Infinity; left.length > 0 && left.length < before;) {
    before = left.length;
    left = layers.add(left);
  }
  return { catalog: layers.catalog, unfit: [...unfit, ...left.map(({ id }) => ({ id, problem: layers.problem(id) }))] };
}

/** Entries of the settings that fit together, beneath the file. */
class FittingLayers {
  catalog: EffectiveCatalog;
  private kept: readonly ModelEntry[] = [];
  private readonly problems = new Map<string, string>();

  constructor(
    private readonly read: ReadFile,
    private readonly settings: Settings,
    private readonly providers: readonly SettingsProvider[],
  ) {
    this.catalog = this.with([]);
  }

  /**
   * Adds a group as a whole, else its halves, so that few that do not fit cost few tries. Returns those.
   */
  add(group: readonly ModelEntry[]): ModelEntry[] {
    const [only] = group;
    if (!only) return [];
    try {
      this.catalog = this.with(group);
      this.kept = [...this.kept, ...group];
      return [];
    } catch (error) {
      const problem = problemOf(error);
      if (group.length > 1) {
        const half = Math.ceil(group.length / 2);
        return [...this.add(group.slice(0, half)), ...this.add(group.slice(half))];
      }
      this.problems.set(only.id, problem);
      return [only];
    }
  }

  /** Why an entry did not fit when it was tried last. */
  problem(id: string): string {
    return this.problems.get(id) ?? '';
  }

  private with(group: readonly ModelEntry[]): EffectiveCatalog {
    return catalogOf(withSettings(this.read.file, this.settings, [...this.kept, ...group], this.providers));
  }
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
  const entry = (section: 'models' | 'plans' | 'guardrails', id: string): SettingsEntry => {
    if (isHeld(file, section, id)) return { section, id, origin, standing: 'overridden', problem: null };
    const fault = section === 'models' ? unfit.find((each) => each.id === id) : undefined;
    return { section, id, origin, standing: fault ? 'set-aside' : 'in-force', problem: fault?.problem ?? null };
  };
  return [
    ...settings.models.map(({ id }) => entry('models', id)),
    ...Object.keys(settings.plans).map((plan) => entry('plans', plan)),
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

/** The entries, of which those of providers do not hold that inference cannot use. `faults`: by provider id. */
export function withFaults(entries: readonly SettingsEntry[], faults: ReadonlyMap<string, string>): SettingsEntry[] {
  return entries.map((entry) => {
    const isLive = entry.section === 'providers' && entry.origin === 'settings' && entry.standing === 'in-force';
    const fault = isLive && entry.id !== null ? faults.get(entry.id) : undefined;
    return fault === undefined ? entry : { ...entry, standing: 'set-aside', problem: fault };
  });
}
