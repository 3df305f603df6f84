import type { TollgateFile } from '@tollgate/configuration';
import { TollgateFileError } from '@tollgate/configuration';
import type { CatalogModel, ContentLogRules, Guardrail, PriceSheet, ProviderDefinition } from '@tollgate/contracts';
import type { SeedFile } from './seed';
import { bareAliases } from './bare-aliases';
import { knownProviders } from './known-providers';
import type { LocateModel } from './model-problems';
import { modelProblems } from './model-problems';
import { modelSources } from './model-source';
import { resolveModel } from './resolve-model';

/** What a model costs, and where that is known from. */
export interface PricedModel {
  model: string;
  prices: PriceSheet;
  source: string;
}

/**
 * The catalog that is in force: the seed and what the operator's file adds or changes. `priced` holds the models whose price is known,
 * `operatorPriced` those whose price the file sets (or sets to unknown), so that no import may change it.
 */
export interface EffectiveCatalog {
  providers: ProviderDefinition[];
  models: CatalogModel[];
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
  if (problems.length) throw new TollgateFileError(problems);

  const bare = bareAliases(models, new Set(providers.keys()));
  return {
    providers: [...providers.values()],
    models: models.map((model) => ({ ...model, aliases: [...model.aliases, ...(bare.get(model.id) ?? [])] })),
    guardrails: file.guardrails,
    contentLog: file.contentLog,
    priced: models.flatMap(({ id, prices }) =>
      prices ? [{ model: id, prices, source: sources.get(id)?.priceSource ?? 'seed' }] : [],
    ),
    operatorPriced: new Set(file.models.flatMap(({ id, prices }) => (prices === undefined ? [] : [id]))),
  };
}
