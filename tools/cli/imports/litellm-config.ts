import type { ProviderDefinition } from '@tollgate/contracts/catalog';
import { z } from 'zod';
import { deploymentsOf, factsOf, isModelId, tellUnpriced, type KnownModels } from './model-entries';
import type { Said, SettingsReport } from './settings-report';
import { listedCredential, withCredentials } from './litellm-credentials';
import { listedDeployment, readDeployment, type ListedDeployment, type ReadDeployment } from './litellm-deployment';
import { addRouting, routingSettings } from './litellm-routing';
import { litellmSettings } from './litellm-settings';
import { ProviderEntries } from './provider-entries';
import { modelId, type WrittenModel, type WrittenProvider } from './written-file';

const section = z.record(z.string(), z.unknown()).nullish();
/** LiteLLM's config.yaml, as far as it is read. https://docs.litellm.ai/docs/proxy/config_settings */
export const litellmConfig = z.looseObject({
  model_list: z.array(listedDeployment).nullish(),
  credential_list: z.array(listedCredential).nullish(),
  router_settings: section,
  litellm_settings: section,
  general_settings: section,
  environment_variables: section,
});
export type LitellmConfig = z.output<typeof litellmConfig>;

export interface ImportedConfig {
  providers: WrittenProvider[];
  models: WrittenModel[];
  /** The models of each access group, by its name. */
  accessGroups: ReadonlyMap<string, readonly string[]>;
}

/** Kinds that this gateway serves, by LiteLLM's `mode`. */
const kinds: Readonly<Record<string, 'generation' | 'embedding' | 'rerank'>> = {
  chat: 'generation',
  completion: 'generation',
  responses: 'generation',
  embedding: 'embedding',
  rerank: 'rerank',
};

/** What is known besides the configuration. `prices`: what LiteLLM's price document tells, by its names. */
interface ConfigContext {
  builtIn: readonly ProviderDefinition[];
  known: KnownModels;
  prices: ReadonlyMap<string, object>;
  report: SettingsReport;
}

/** Makes entries of tollgate.yaml of LiteLLM's configuration; the report says what became of each setting. */
export function fromLitellmConfig(read: LitellmConfig, context: ConfigContext): ImportedConfig {
  const { builtIn, report } = context;
  const config = withCredentials(read, report);
  const byId = new Map(builtIn.map((provider) => [provider.id, provider]));
  const providers = new ProviderEntries(byId, report, 'litellm_params.api_key');
  const groups = byName(config.model_list ?? []);
  const models = [...groups].flatMap(([name, deployments]) => {
    const served = deployments
      .filter((one) => isServed(one, report))
      .flatMap((one) => {
        const found = readDeployment(one, { builtIn: byId, providers, report });
        return found ? [found] : [];
      });
    return served.length === 0 ? [] : wrote(name, deployments, served, context);
  });
  addRouting(models, config.router_settings ?? {}, config.litellm_settings ?? {}, report);
  addUnlisted(providers, groups.keys(), byId, report);
  tellOthers(config, report);
  return {
    providers: providers.entries,
    models,
    accessGroups: accessGroups(config),
  };
}

function byName(list: readonly ListedDeployment[]): Map<string, ListedDeployment[]> {
  const groups = new Map<string, ListedDeployment[]>();
  for (const one of list) groups.set(one.model_name, [...(groups.get(one.model_name) ?? []), one]);
  return groups;
}

function isServed({ model_name: name, model_info: about }: ListedDeployment, report: SettingsReport): boolean {
  if (name.includes('*')) return false;
  if (about?.mode == null || Object.hasOwn(kinds, about.mode)) return true;
  report.left(`model_list: ${name}`, `the kind ${about.mode} is not served here: docs/dialects.md`);
  return false;
}

function wrote(
  name: string,
  deployments: readonly ListedDeployment[],
  read: readonly ReadDeployment[],
  context: ConfigContext,
): WrittenModel[] {
  const { known, report } = context;
  const id = modelId(name);
  if (!isModelId(id)) {
    report.left(`model_list: ${name}`, 'no id can be made of this name; add the model by hand');
    return [];
  }
  if (id === name)
    report.carried('model_list', 'models of the same names; what a model can do and costs is told by the catalog');
  else report.changed(`model_list: ${name}`, `no id may hold such letters: callers ask ${id}`);
  const base = read.flatMap(({ knownAs }) => knownAs).flatMap((one) => known.get(one) ?? [])[0];
  const model: WrittenModel = { id, ...factsOf(base), ...saidFacts(deployments) };
  const prices = pricesOf(name, read, context);
  if (prices) model.prices = prices;
  const timeouts = Object.assign({}, ...read.map(({ timeouts: one }) => one)) as object;
  if (Object.keys(timeouts).length > 0) model.timeouts = timeouts;
  model.deployments = deploymentsOf(
    read.map(({ deployment }) => deployment),
    'model_list (several deployments)',
    report,
  );
  return [model];
}

/**
 * What the model costs, which is one price for all its deployments: what the file says, else what the catalog
 * has, else what LiteLLM's price document tells. Null: nothing is known of it, which is told.
 */
function pricesOf(
  name: string,
  read: readonly ReadDeployment[],
  { known, prices, report }: ConfigContext,
): object | null {
  const setting = `model_list: ${name} (price)`;
  const first = <Value>(names: readonly string[], of: ReadonlyMap<string, Value>): Value | null =>
    names.flatMap((one) => of.get(one) ?? [])[0] ?? null;
  const told = read.map((one) => {
    const document = first(one.pricedAs, prices);
    return { own: one.prices, ours: first(one.knownAs, known)?.prices ?? null, document };
  });
  const of = ({ own, ours, document }: (typeof told)[number]): object | null => own ?? ours ?? document;
  const chosen =
    told.find(({ own }) => own !== null) ??
    told.find(({ ours }) => ours !== null) ??
    told.find((one) => of(one) !== null);
  if (!chosen) {
    tellUnpriced(setting, report);
    return null;
  }
  if (chosen.own === null && chosen.ours === null)
    report.carried('model_list (price)', "prices of the model, as LiteLLM's price document tells them");
  if (told.some((one) => !costsAlike(of(one), of(chosen))))
    report.changed(setting, 'its deployments cost differently; here each costs the same, but for discount and markup');
  return of(chosen);
}

/** Whether the rates that both tell are the same; who tells none costs like nobody else. */
function costsAlike(one: object | null, other: object | null): boolean {
  if (one === null || other === null) return one === other;
  const rates = new Map<string, unknown>(Object.entries(other));
  return Object.entries(one).every(([name, rate]: [string, unknown]) => {
    const another = rates.get(name);
    return typeof rate !== 'string' || typeof another !== 'string' || Number(rate) === Number(another);
  });
}

/** What LiteLLM's entry says of its model itself counts more. */
function saidFacts(deployments: readonly ListedDeployment[]): Record<string, unknown> {
  const about = Object.assign({}, ...deployments.map(({ model_info }) => model_info ?? {})) as NonNullable<
    ListedDeployment['model_info']
  >;
  const kind = kinds[about.mode ?? 'chat'];
  return {
    ...(kind !== undefined && kind !== 'generation' && { kind }),
    ...(typeof about.max_input_tokens === 'number' && { contextWindow: about.max_input_tokens }),
    ...(typeof about.max_output_tokens === 'number' && { maxOutputTokens: about.max_output_tokens }),
  };
}

/** `provider/*` passes every name on, as `unlisted` does here. */
function addUnlisted(
  providers: ProviderEntries,
  groups: Iterable<string>,
  builtIn: ReadonlyMap<string, ProviderDefinition>,
  report: SettingsReport,
): void {
  for (const name of [...groups].filter((one) => one.includes('*'))) {
    const provider = name.endsWith('/*') ? name.slice(0, -2) : '';
    if (!builtIn.has(provider)) {
      report.left(`model_list: ${name}`, 'list its models, or give the provider `models: discover`');
      continue;
    }
    report.changed(
      `model_list: ${name}`,
      `unlisted: any name behind ${provider}/ is passed on; those without a price are unpriced`,
    );
    providers.add(provider, { unlisted: true });
  }
}

function tellOthers(config: LitellmConfig, report: SettingsReport): void {
  const { model_list: _, credential_list: _credentials, environment_variables: variables, ...sections } = config;
  for (const name of Object.keys(variables ?? {}))
    report.changed('environment_variables', `set ${name} in the environment of inference`);
  for (const [name, said] of Object.entries(sections)) {
    const isSection = typeof said === 'object' && said !== null && !Array.isArray(said) && name.endsWith('_settings');
    const paths = isSection ? Object.keys(said).map((field) => `${name}.${field}`) : [name];
    report.tellAll(
      '',
      paths.filter((path) => !routingSettings.has(path)),
      isSection ? { ...misplaced(name), ...litellmSettings } : litellmSettings,
    );
  }
}

/** What is said of settings of other sections that stand in this one, where LiteLLM reads none of them. */
function misplaced(section: string): Record<string, Said> {
  const routing = [...routingSettings].map((path) => [path, null] as const);
  return Object.fromEntries(
    [...Object.entries(litellmSettings), ...routing].flatMap(([path, said]) => {
      const [own = '', setting] = path.split('.');
      return setting === undefined ? [] : [[`${section}.${setting}`, misplacedSaid(own, said)]];
    }),
  );
}

/** `said` null: it is read there. */
function misplacedSaid(own: string, said: Said | null): Said {
  if (said === null) return ['not carried', 'LiteLLM reads it in router_settings: move it there, and run again'];
  const [outcome, note] = said;
  return outcome === 'not carried' ? said : ['not carried', `LiteLLM reads it in ${own}, where it would be: ${note}`];
}

function accessGroups({ model_list: list }: LitellmConfig): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const { model_name: model, model_info: about } of list ?? [])
    for (const group of about?.access_groups ?? []) groups.set(group, [...(groups.get(group) ?? []), modelId(model)]);
  return groups;
}
