import type { ModelEntry } from '@tollgate/configuration';
import { aliasesOf, baseOf, type Base, type BifrostKey, type BifrostProvider } from './bifrost-provider';
import { placeOf, type PlaceContext } from './bifrost-places';
import { tellProvider } from './bifrost-settings';
import { deploymentsOf, factsOf, isModelId, tellUnpriced, type KnownModels, type WrittenPlace } from './model-entries';
import type { ProviderEntries } from './provider-entries';
import { modelId, type WrittenModel } from './written-file';

/**
 * What a reading of the providers needs besides them. `allWhenEmpty`: an empty list of models is all of them.
 * `ids` is told which model here is meant by each name there.
 */
export interface ModelContext extends PlaceContext {
  known: KnownModels;
  providers: ProviderEntries;
  allWhenEmpty: boolean;
  ids: Map<string, string>;
}

/** A model of a provider: where its keys reach it, and under which names the catalog may know it. */
interface Served {
  places: WrittenPlace[];
  knownAs: string[];
}

/**
 * The models of a provider of Bifrost, which callers ask for as `provider/name`. Those that the catalog has
 * under that name, and that are reached as it reaches them, need no entry.
 */
export function modelsOf(name: string, said: BifrostProvider, context: ModelContext): WrittenModel[] {
  const { report } = context;
  const base = baseOf(name, said);
  if (!base) {
    const how = "where it speaks OpenAI's format, add it to tollgate.yaml (preset: openai-compatible), with its models";
    report.left(`providers.${name}`, `no such provider is known here: ${how}`);
    return [];
  }
  tellProvider(said, report);
  const served = new Map<string, Served>();
  let open = 0;
  for (const key of keysOf(said)) {
    if (key.enabled === false) {
      report.left('providers.keys (not enabled)', 'it serves nothing there either');
      continue;
    }
    const isAll = servesAll(key, context);
    if (!isAll && (key.models ?? []).length === 0)
      report.left(
        `providers.${name}.keys.models (empty)`,
        'it serves no model, as since Bifrost 1.5; in a file of 1.4 it meant all: write "version": 1 there and run it again',
      );
    for (const model of namesOf(key, isAll ? base : null, context))
      serve(served, model, key, { name, base, said }, context);
    if (isAll) passOn(key, open++, { name, base, said }, context);
  }
  return [...served].flatMap(([model, one]) => entryOf(`${name}/${model}`, one, context) ?? []);
}

/** A provider that needs no key has none in its list. */
function keysOf({ keys, custom_provider_config: custom }: BifrostProvider): readonly BifrostKey[] {
  return keys && keys.length > 0 ? keys : custom?.is_key_less ? [{ models: ['*'] }] : [];
}

function servesAll({ models }: BifrostKey, { allWhenEmpty }: ModelContext): boolean {
  const listed = models ?? [];
  return listed.includes('*') || (allWhenEmpty && listed.length === 0);
}

/** What callers may ask of a key; `base` where that is everything: what the catalog knows there. */
function namesOf(key: BifrostKey, base: Base | null, context: ModelContext): string[] {
  const denied = new Set(key.blacklisted_models);
  return [...listedNames(key, base, context)].filter((model) => !denied.has(model));
}

function listedNames(key: BifrostKey, base: Base | null, { known }: ModelContext): Set<string> {
  const aliases = Object.keys(aliasesOf(key));
  const listed = (key.models ?? []).filter((model) => model !== '*');
  if (base === null) return new Set([...listed, ...aliases.filter((alias) => listed.includes(alias))]);
  const ofCatalog = 'builtIn' in base ? base.builtIn.flatMap((provider) => namesAt(provider, known)) : [];
  return new Set([...listed, ...aliases, ...ofCatalog]);
}

function namesAt(provider: string, known: KnownModels): string[] {
  const models = new Set([...known].filter(([name]) => name.startsWith(`${provider}/`)).map(([, model]) => model));
  return [...models].map((model) => upstreamOf(model, provider));
}

function upstreamOf({ id, upstreamModel }: ModelEntry, provider: string): string {
  return upstreamModel ?? id.slice(provider.length + 1);
}

function serve(
  served: Map<string, Served>,
  model: string,
  key: BifrostKey,
  of: { name: string; base: Base; said: BifrostProvider },
  context: ModelContext,
): void {
  const alias = aliasesOf(key)[model];
  const target = alias?.model_id ?? key.vllm_key_config?.model_name ?? model;
  const canonical = alias?.model_name ?? target;
  const place = placeOf(canonical, key, of, context);
  // Vertex AI is asked with the maker in front there, and without here.
  const bare = (text: string): string =>
    place.provider?.startsWith('vertex') ? text.replace(/^(?:google|anthropic)\//, '') : text;
  const provider = context.providers.idFor(place);
  const one = served.get(model) ?? { places: [], knownAs: [] };
  one.places.push({
    ...{ provider, upstreamModel: bare(target) },
    ...(typeof key.weight === 'number' && { weight: key.weight }),
  });
  if (place.provider !== null)
    one.knownAs.push(
      `${place.provider}/${bare(target)}`,
      `${place.provider}/${bare(canonical)}`,
      `${place.provider}/${bare(model)}`,
    );
  served.set(model, one);
}

/** Names that the catalog does not know are passed on by the first key that serves everything. */
function passOn(
  key: BifrostKey,
  index: number,
  of: { name: string; base: Base; said: BifrostProvider },
  context: ModelContext,
): void {
  const { report, providers } = context;
  const { name } = of;
  if ((key.blacklisted_models ?? []).length > 0) {
    report.left(
      'providers.keys.models (*)',
      'names that the catalog does not know are not passed on where some are denied: list them',
    );
    return;
  }
  if (index > 0) {
    report.changed(
      'providers.keys.models (*)',
      'names that the catalog does not know go to the first key that has all',
    );
    return;
  }
  const id = providers.idFor(placeOf('', key, of, context));
  if ('preset' in of.base) {
    providers.add(id, { models: { discover: true, prefix: `${name}/` } });
    report.carried(
      'providers.keys.models (*)',
      'models: discover; what the server lists is offered under the same names',
    );
    return;
  }
  providers.add(id, { unlisted: true });
  const note = 'unlisted: names that the catalog does not know are passed on, without a price';
  if (id === name) report.carried('providers.keys.models (*)', note);
  else report.changed('providers.keys.models (*)', `${note}, as ${id}/<name>`);
}

function entryOf(
  wanted: string,
  { places, knownAs }: Served,
  { known, builtIn, ids, report }: ModelContext,
): WrittenModel | null {
  const id = modelId(wanted);
  if (!isModelId(id)) {
    report.left(`model ${wanted}`, 'no id can be made of this name; add the model by hand');
    return null;
  }
  if (id !== wanted) report.changed(`model ${wanted}`, `no id may hold such letters: callers ask ${id}`);
  const base = knownAs.flatMap((one) => known.get(one) ?? [])[0];
  const [only, ...others] = places;
  const isAsKnown =
    base !== undefined &&
    only !== undefined &&
    others.length === 0 &&
    builtIn.has(only.provider) &&
    upstreamOf(base, only.provider) === only.upstreamModel &&
    base.id.startsWith(`${only.provider}/`);
  report.carried('models', 'the models of the catalog, under the names by which they are asked for there');
  ids.set(wanted, isAsKnown ? base.id : id);
  if (isAsKnown) {
    return base.id === id ? null : { id: base.id, aliases: [...(base.aliases ?? []), id] };
  }
  if (!base) tellUnpriced(`model ${wanted} (price)`, report);
  const deployments = deploymentsOf(places, 'providers.keys (several for one model)', report);
  return base?.id === id ? { id, deployments } : { id, ...factsOf(base), deployments };
}
