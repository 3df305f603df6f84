import { type TollgateFile, firstProblems, TollgateFileError, type ModelEntry } from '@tollgate/configuration';
import type {
  CatalogModel,
  Guardrail,
  PriceChange,
  PriceSheet,
  ProviderDefinition,
  RetiredName,
} from '@tollgate/contracts/catalog';
import type { ContentLogRules } from '@tollgate/contracts/metering';
import type { SeedFile } from './seed';
import { knownProviders } from './known-providers';
import { type LocateModel, modelProblems } from './model-problems';
import { resolveModel } from './resolve-model';

/**
 * What a model costs, and where that is known from. `day`: when it was taken from there (null: the operator
 * set it). `changes` are announced: each takes the place of `prices` at its instant; in the order of time.
 */
export interface PricedModel {
  model: string;
  prices: PriceSheet;
  source: string;
  day: string | null;
  changes?: readonly PriceChange[];
}

/**
 * The catalog that is in force: the seed and what the operator's file adds or changes. `priced` holds the
 * models whose price is known, `operatorPriced` those whose price the file sets (or sets to unknown), so that
 * no import may change it.
 */
export interface EffectiveCatalog {
  providers: ProviderDefinition[];
  models: CatalogModel[];
  retiredNames: RetiredName[];
  factsAsOf: string | null;
  guardrails: Guardrail[];
  contentLog: ContentLogRules | null;
  priced: PricedModel[];
  operatorPriced: ReadonlySet<string>;
}

/**
 * Puts seed and configuration file together.
 * @throws TollgateFileError naming the place of every fault, such as a fallback that does not exist.
 */
export function effectiveCatalog(
  builtIn: readonly ProviderDefinition[],
  seed: readonly SeedFile[],
  file: TollgateFile,
): EffectiveCatalog {
  const problems: string[] = [];
  const providers = knownProviders(builtIn, file, problems);
  const sources = modelSources(seed, file);
  const locate: LocateModel = (id, field) => {
    const index = sources.get(id)?.fileIndex ?? null;
    return index === null ? `${id}.${field.join('.')}` : file.locate(['models', index, ...field]);
  };

  const models: CatalogModel[] = [];
  for (const [id, { entry }] of sources) {
    const model = resolveModel(entry);
    if (model) models.push(model);
    else problems.push(`${locate(id, [])}: ${id} is a new model and needs provider or deployments`);
  }
  problems.push(...modelProblems(models, providers, locate));
  if (problems.length) throw new TollgateFileError(firstProblems(problems, (problem) => problem));

  return {
    providers: [...providers.values()],
    models,
    retiredNames: retiredNames(seed, models),
    factsAsOf: newestDay(
      seed.flatMap(({ retrieved, models: listed }) => [retrieved, ...listed.map((one) => one.retrieved)]),
    ),
    guardrails: file.guardrails,
    contentLog: file.contentLog,
    priced: models.flatMap(({ id, prices }) => {
      const known = sources.get(id);
      const changes = known?.entry.priceChanges ?? [];
      if (!prices) return [];
      const { priceSource: source = 'seed', priceDay: day = null } = known ?? {};
      return [{ model: id, prices, source, day, ...(changes.length && { changes }) }];
    }),
    operatorPriced: new Set(file.models.flatMap(({ id, prices }) => (prices === undefined ? [] : [id]))),
  };
}

/**
 * What became of names that are gone, with and without their provider, unless a model has that name by now.
 */
function retiredNames(seed: readonly SeedFile[], models: readonly CatalogModel[]): RetiredName[] {
  const taken = new Set(models.flatMap(({ id, aliases }) => [id, ...aliases]));
  return seed.flatMap(({ provider, gone }) =>
    gone.flatMap(({ names, date = null, successor = null }) =>
      names
        .flatMap((name) => [name, `${provider}/${name}`])
        .filter((name) => !taken.has(name))
        .map((name) => ({ name, date, successor })),
    ),
  );
}

/** The latest of days as ISO 8601 writes them; null: there is none. */
export function newestDay(days: readonly (string | null | undefined)[]): string | null {
  return (
    days
      .filter((day) => typeof day === 'string')
      .toSorted()
      .at(-1) ?? null
  );
}

/**
 * All that the seed and the configuration file say of one model. `fileIndex` is its place in the file's list,
 * null when only the seed has it.
 * `priceSource` says where its price comes from, for the history of prices; `priceDay` on which day it was
 * taken from there, null where the file sets it.
 */
interface ModelSource {
  entry: ModelEntry;
  fileIndex: number | null;
  priceSource: string;
  priceDay: string | null;
}

/**
 * The seed's models, changed and joined by those of the configuration file: field by field, `capabilities`
 * flag by flag.
 */
function modelSources(seed: readonly SeedFile[], file: TollgateFile): Map<string, ModelSource> {
  const sources = new Map<string, ModelSource>();
  for (const { provider, models, ...facts } of seed)
    for (const { note: _note, source = facts.source, retrieved = facts.retrieved, ...model } of models)
      sources.set(model.id, {
        entry: { provider, ...model },
        fileIndex: null,
        priceSource: `${source} (${retrieved})`,
        priceDay: retrieved,
      });
  file.models.forEach((entry, fileIndex) => {
    const before = sources.get(entry.id);
    sources.set(entry.id, {
      entry: {
        ...(before && leftBy(entry, before.entry)),
        ...entry,
        capabilities: { ...before?.entry.capabilities, ...entry.capabilities },
        ...(entry.timeouts && { timeouts: { ...before?.entry.timeouts, ...entry.timeouts } }),
      },
      fileIndex,
      priceSource: entry.prices === undefined && before ? before.priceSource : 'configuration file',
      priceDay: entry.prices === undefined && before ? before.priceDay : null,
    });
  });
  return sources;
}

/**
 * What of the seed an operator's entry leaves in force. With prices of its own goes what the seed doubts and
 * announces of them; with a deployment at another provider goes the end that the model's own provider has
 * set.
 */
function leftBy(entry: ModelEntry, seeded: ModelEntry): ModelEntry {
  const { priceUnconfirmed: _doubt, priceChanges: _changes, ...ownPrices } = seeded;
  const left = entry.prices === undefined ? seeded : ownPrices;
  if (!entry.deployments?.some(({ provider }) => provider !== seeded.provider)) return left;
  const { retirement: _end, ...lasting } = left;
  return lasting;
}
