import type { ModelEntry } from '@tollgate/configuration';
import type { ProviderDefinition } from '@tollgate/contracts/catalog';
import { deploymentsOf, factsOf, isModelId, tellUnpriced, type KnownModels, type WrittenPlace } from './model-entries';
import { cataloged, type PortkeyConfig } from './portkey-config';
import { layersOf, type Layer, type Leaf } from './portkey-layers';
import { targetPlace, type PlaceContext } from './portkey-places';
import { tellConfig } from './portkey-settings';
import { ProviderEntries } from './provider-entries';
import type { SettingsReport } from './settings-report';
import { modelId, type WrittenModel, type WrittenProvider } from './written-file';

/** A config of Portkey by what callers call it. */
export interface NamedConfig {
  name: string;
  config: PortkeyConfig;
}

interface Context extends PlaceContext {
  known: KnownModels;
  providers: ProviderEntries;
  models: Map<string, WrittenModel>;
}

/** A target for a model, with the model that stands for it alone. */
interface Placed {
  leaf: Leaf;
  priority: number;
  place: WrittenPlace;
  /** The model of the target alone. */
  id: string;
  base: ModelEntry | undefined;
}

/**
 * Makes a model of each config: callers ask for it by the config's name. Where targets name no model, callers
 * do, of whom `asked` says what they ask for: then it is `config/model`. The report says what became of each
 * setting.
 */
export function fromPortkeyConfigs(
  configs: readonly NamedConfig[],
  said: {
    builtIn: readonly ProviderDefinition[];
    known: KnownModels;
    named: ReadonlyMap<string, string>;
    asked: readonly string[];
    report: SettingsReport;
  },
): { providers: WrittenProvider[]; models: WrittenModel[] } {
  const { known, named, asked, report } = said;
  const builtIn = new Map(said.builtIn.map((provider) => [provider.id, provider]));
  const providers = new ProviderEntries(builtIn, report, 'api_key');
  const context: Context = { builtIn, known, named, report, providers, models: new Map() };
  for (const { name, config } of configs) {
    tellConfig(config, report);
    const layers = layersOf(config, report);
    if (layers.flat().every(({ target }) => modelOf(target) !== null)) addConfig(name, layers, null, context);
    else if (asked.length === 0)
      report.left(`config ${name}`, 'it names no model: say which callers ask it for (--model gpt-4.1 …)');
    else for (const model of asked) addConfig(`${name}/${model}`, layers, model, context);
  }
  return { providers: providers.entries, models: [...context.models.values()] };
}

/** The model that a target has callers get, whatever they ask for; null: what they ask for. */
function modelOf({
  override_params: params,
  deployment_id: own,
  azure_deployment_id: other,
}: PortkeyConfig): string | null {
  const model = params?.model;
  return typeof model === 'string' && model !== '' ? model : (own ?? other ?? null);
}

function addConfig(wanted: string, layers: readonly Layer[], asked: string | null, context: Context): void {
  const { report, models } = context;
  const id = modelId(wanted);
  if (!isModelId(id)) {
    report.left(`config ${wanted}`, 'no id can be made of this name; call its file otherwise');
    return;
  }
  const placed = layers.flatMap((layer, priority) =>
    layer.flatMap((leaf) => placedOf(leaf, priority, asked, context) ?? []),
  );
  const [first] = placed.toSorted((a, b) => a.priority - b.priority || b.leaf.weight - a.leaf.weight);
  if (!first) return;
  const same = placed.filter((one) => isSameModel(one, first));
  const others = placed.filter((one) => !same.includes(one));
  if (others.some(({ priority }) => priority === first.priority))
    report.changed(
      'strategy (loadbalance of models)',
      'callers are not shared out among different models: the one with most weight answers, the others are its fallbacks',
    );
  report.carried('config', `a model of its name: callers ask for it (model) in the place of x-portkey-config`);
  const places = same.map(({ place, priority, leaf }) => ({ ...place, weight: leaf.weight, priority }));
  const fallbacks = [...new Set(others.toSorted((a, b) => a.priority - b.priority).map((one) => one.id))].filter(
    (one) => one !== id,
  );
  if (!first.base) tellUnpriced(`config ${wanted} (price)`, report);
  models.set(id, {
    id,
    ...factsOf(first.base),
    deployments: deploymentsOf(places, 'targets (several of one model)', report),
    ...(fallbacks.length > 0 && { fallbacks }),
    ...timeoutsOf(
      same.map(({ leaf }) => leaf.target),
      report,
    ),
  });
}

/** One model at several providers is called alike, but for its maker in front. */
function isSameModel({ place: one }: Placed, { place: other }: Placed): boolean {
  return bare(one.upstreamModel) === bare(other.upstreamModel);
}

function bare(model: string): string {
  return model.slice(model.lastIndexOf('/') + 1);
}

function placedOf(leaf: Leaf, priority: number, asked: string | null, context: Context): Placed | null {
  const { known, providers, models, builtIn } = context;
  const [target, model] = splitName(leaf.target, modelOf(leaf.target) ?? asked ?? '');
  const found = targetPlace(target, model, context);
  if (!found) return null;
  const { place, slug } = found;
  const provider = providers.idFor(place);
  const upstreamModel = place.provider?.startsWith('vertex') ? model.replace(/^(?:google|anthropic)[./]/, '') : model;
  const base = place.provider === null ? undefined : known.get(`${place.provider}/${upstreamModel}`);
  const isAsKnown = slug === null && base !== undefined && builtIn.has(provider) && provider === place.provider;
  const id = isAsKnown ? base.id : modelId(slug === null ? `${provider}/${model}` : `@${slug}/${model}`);
  const isWritten = isAsKnown || models.has(id) || !isModelId(id);
  if (!isWritten) {
    if (!base) tellUnpriced(`model ${id} (price)`, context.report);
    context.report.carried('targets', 'a model of each, by the name that Portkey has for it (@slug/model)');
    models.set(id, { id, ...factsOf(base), deployments: [{ provider, upstreamModel }] });
  }
  return { leaf, priority, place: { provider, upstreamModel }, id, base };
}

/** A model that is called `@slug/model` says whose it is where its target does not. */
function splitName(target: PortkeyConfig, name: string): [target: PortkeyConfig, model: string] {
  const [, slug, model] = cataloged.exec(name) ?? [];
  if (slug === undefined || model === undefined || target.virtual_key != null) return [target, name];
  const provider = `@${slug}`;
  return target.provider == null || target.provider === provider ? [{ ...target, provider }, model] : [target, name];
}

/** One limit of time for all of a model's places: the longest, and none where one of them has none. */
function timeoutsOf(targets: readonly PortkeyConfig[], report: SettingsReport): { timeouts?: { totalMs: number } } {
  const limits = targets.flatMap(({ request_timeout: limit }) => (limit == null ? [] : [limit]));
  if (limits.length === 0) return {};
  if (limits.length < targets.length) {
    report.left('request_timeout (of some targets)', 'timeouts are of a model or a provider: write them by hand');
    return {};
  }
  const note = 'timeouts of the model (totalMs)';
  if (new Set(limits).size > 1) report.changed('request_timeout', `${note}: the longest of its targets`);
  else report.carried('request_timeout', note);
  return { timeouts: { totalMs: Math.max(...limits) } };
}
