import type { ProviderDefinition } from '@tollgate/contracts/catalog';
import { z } from 'zod';
import type { DocumentRates } from '../prices/document-entry';
import { isLitellmRate, litellmRates } from '../prices/litellm';
import { perMillion, type WrittenPlace } from './model-entries';
import type { SettingsReport } from './settings-report';
import { azureAddress, vertexAddress } from './cloud-addresses';
import { byHand, priceName, routeOf, type Route } from './litellm-routes';
import type { Place, ProviderEntries } from './provider-entries';

const count = z.coerce.number().nonnegative();
const seconds = z.coerce.number().positive().max(86_400);

/**
 * What is read of a deployment. Everything else is told in the report.
 * https://docs.litellm.ai/docs/proxy/configs
 */
const paramsShape = {
  model: z.string().min(1),
  custom_llm_provider: z.string().nullish(),
  api_key: z.string().nullish(),
  api_base: z.string().nullish(),
  base_url: z.string().nullish(),
  organization: z.string().nullish(),
  extra_headers: z.record(z.string(), z.string()).nullish(),
  aws_region_name: z.string().nullish(),
  vertex_project: z.string().nullish(),
  vertex_location: z.string().nullish(),
  weight: count.nullish(),
  order: z.coerce.number().int().nullish(),
  max_parallel_requests: z.coerce.number().int().positive().nullish(),
  timeout: seconds.nullish(),
  stream_timeout: seconds.nullish(),
};
export const listedParams = z.looseObject(paramsShape);
const info = z.looseObject({
  mode: z.string().nullish(),
  base_model: z.string().nullish(),
  access_groups: z.array(z.string()).nullish(),
  max_input_tokens: z.coerce.number().int().positive().nullish(),
  max_output_tokens: z.coerce.number().int().positive().nullish(),
});

/** An entry of `model_list`. */
export const listedDeployment = z.looseObject({
  /** YAML takes some names for numbers. */
  model_name: z.union([z.string().min(1), z.number().transform(String)]),
  litellm_params: listedParams,
  model_info: info.nullish(),
});
export type ListedDeployment = z.output<typeof listedDeployment>;
type Params = z.output<typeof listedParams>;
type Info = z.output<typeof info>;

/** What a deployment says that a token costs. https://docs.litellm.ai/docs/proxy/custom_pricing */
const rate = z
  .union([z.number(), z.string().trim().min(1).transform(Number)])
  .pipe(z.number().nonnegative())
  .nullish();
const rates = z.record(z.string(), rate);

/** A deployment as tollgate.yaml has it, and what it says of its model. */
export interface ReadDeployment {
  deployment: WrittenPlace;
  /** The names under which the catalog may know the model, the likeliest first: `provider/name`. */
  knownAs: string[];
  /** The names under which LiteLLM's price document may have it, the likeliest first. */
  pricedAs: string[];
  timeouts: { firstByteMs?: number; totalMs?: number };
  prices: object | null;
}

const read = new Set(Object.keys(paramsShape));
const asked = 'callers say it in their requests';
const ofCatalog = 'the catalog says what a model can do and costs; an entry of tollgate.yaml may say otherwise';
const noBatches = 'batches are not served here';
/** What is not carried of a deployment, and what there is instead. */
const otherParams: Readonly<Record<string, string>> = {
  rpm: 'a provider that has enough answers 429, and others are asked; maxConcurrent bounds what runs at once',
  tpm: 'a provider that has enough answers 429, and others are asked; maxConcurrent bounds what runs at once',
  api_version: 'Azure is asked by its v1 API, which needs none',
  max_retries: 'a failed attempt is tried again by itself',
  num_retries: 'a failed attempt is tried again by itself',
  temperature: asked,
  top_p: asked,
  stream: asked,
  max_tokens: asked,
  reasoning_effort: asked,
  thinking: asked,
  headers: 'write them as extra_headers, which become headers of the provider',
  tags: 'tags choose no deployment here: give the model a name of its own, and keys that may ask it',
  max_budget: 'budgets are of accounts, keys and models: tollgate budgets create --models',
  budget_duration: 'budgets are of accounts, keys and models: tollgate budgets create --models',
  cooldown_time: 'a deployment that fails is left alone by itself, and asked again',
  additional_drop_params: 'what a model cannot take is refused, or dropped and told in x-gateway-warnings',
  allowed_openai_params: 'what a model cannot take is refused, or dropped and told in x-gateway-warnings',
  ssl_verify: 'certificates of providers are always checked; NODE_EXTRA_CA_CERTS adds one of your own',
  mock_response: 'TOLLGATE_SANDBOX=on starts simulated providers',
  drop_params: 'what a model cannot take is refused, or dropped and told in x-gateway-warnings',
  aws_access_key_id: 'set AWS_ACCESS_KEY_ID of inference, one for all of Bedrock',
  aws_secret_access_key: 'set AWS_SECRET_ACCESS_KEY of inference, one for all of Bedrock',
  aws_session_token: 'set AWS_SESSION_TOKEN of inference, one for all of Bedrock',
  aws_role_name: 'give inference credentials of that role (AWS_ACCESS_KEY_ID and others), one for all of Bedrock',
  tenant_id: 'Azure is asked with a key here',
  client_id: 'Azure is asked with a key here',
  client_secret: 'Azure is asked with a key here',
  cache_control_injection_points: 'callers mark what is to be cached',
  vertex_credentials: 'set GOOGLE_APPLICATION_CREDENTIALS of inference',
  rpm_limit: 'a provider that has enough answers 429, and others are asked; maxConcurrent bounds what runs at once',
  tpm_limit: 'a provider that has enough answers 429, and others are asked; maxConcurrent bounds what runs at once',
  region_name: 'regions choose no deployment here: give the model a name of its own, and keys that may ask it',
  adaptive_router_config: 'nothing of a request chooses a model here: callers name the one that they mean',
  ...everyone(['supports_function_calling', 'supports_vision', 'supports_images', 'supports_reasoning'], ofCatalog),
  ...everyone(['s3_bucket_name', 's3_region_name', 's3_access_key_id', 's3_secret_access_key'], noBatches),
  aws_batch_role_arn: noBatches,
  mock_timeout: 'TOLLGATE_SANDBOX=on starts simulated providers',
};
/** Fields that say where a provider is; one that nobody can read is told where the address is looked for. */
const isAddress = /^(?:api_base|base_url)$/;
/** What may be a variable's name there, and which variable of inference says it here, once for all. */
const fromEnvironment: Readonly<Record<string, string>> = {
  aws_region_name: 'AWS_REGION',
  vertex_project: 'GOOGLE_CLOUD_PROJECT',
};
const priced = 'prices of the model, by the million tokens';
const unpriced = 'a price has both a rate of input and one of output: the model has that of the catalog';
const noRate = 'it is no number, and so no rate of the deployment is taken: write them into prices of the model';
const unsaid = 'callers say it in their requests, or it has no like here';
/** Where what is carried of a deployment, and of what LiteLLM knows of its model, stands in tollgate.yaml. */
const places: Readonly<Record<string, string>> = {
  custom_llm_provider: 'which provider it is',
  api_base: 'baseUrl of the provider',
  base_url: 'baseUrl of the provider',
  organization: 'a header of the provider',
  extra_headers: 'headers of the provider',
  aws_region_name: 'baseUrl of the provider',
  vertex_project: 'baseUrl of the provider',
  vertex_location: 'baseUrl of the provider',
  weight: 'weight of the deployment',
  order: 'priority of the deployment',
  max_parallel_requests: 'maxConcurrent of the deployment',
  timeout: 'timeouts of the model (totalMs)',
  stream_timeout: 'timeouts of the model (firstByteMs)',
};
const infoPlaces: Readonly<Record<string, string>> = {
  mode: 'kind of the model',
  base_model: 'whose facts and price the model has',
  access_groups: 'written out in the models of keys that name them',
  max_input_tokens: 'contextWindow of the model',
  max_output_tokens: 'maxOutputTokens of the model',
};

/** Reads one deployment; null, and told in the report, where Tollgate knows no such provider. */
export function readDeployment(
  { model_name: name, litellm_params: said, model_info: about }: ListedDeployment,
  {
    builtIn,
    providers,
    report,
  }: {
    builtIn: ReadonlyMap<string, ProviderDefinition>;
    providers: ProviderEntries;
    report: SettingsReport;
  },
): ReadDeployment | null {
  const apiBase = said.api_base ?? said.base_url ?? undefined;
  const route = routeOf(said.model, said.custom_llm_provider ?? undefined, apiBase, (address) =>
    providerAt(address, builtIn),
  );
  const unlike = byHand(said.model, said.custom_llm_provider ?? undefined);
  if (unlike !== null) report.left(`model_list: ${name}`, unlike);
  if (!route) {
    const how = 'add its server as a provider of tollgate.yaml (preset: openai-compatible), and the model by hand';
    if (unlike === null) report.left(`model_list: ${name}`, `no provider of ${said.model} is known here: ${how}`);
    return null;
  }
  const prices = pricesOf(said, about?.mode ?? 'chat');
  tellFields(said, about ?? {}, prices !== null, report);
  const base = 'provider' in route ? route.provider : null;
  const isUsual = base !== null && apiBase !== undefined && providerAt(apiBase, builtIn) === base;
  const provider = providers.idFor(placeOf(route, said, isUsual ? undefined : apiBase, builtIn, report));
  return {
    deployment: {
      provider,
      upstreamModel: route.model,
      ...(typeof said.weight === 'number' && { weight: said.weight }),
      ...(typeof said.order === 'number' && { priority: said.order }),
      ...(typeof said.max_parallel_requests === 'number' && { maxConcurrent: said.max_parallel_requests }),
    },
    knownAs: [route.model, bare(about?.base_model ?? '')].flatMap((model) =>
      base === null || model === '' ? [] : [`${base}/${model}`],
    ),
    pricedAs: priceNames(said, about ?? {}, route),
    timeouts: {
      ...(typeof said.stream_timeout === 'number' && { firstByteMs: Math.ceil(said.stream_timeout * 1_000) }),
      ...(typeof said.timeout === 'number' && { totalMs: Math.ceil(said.timeout * 1_000) }),
    },
    prices,
  };
}

function tellFields(said: Params, about: Partial<Info>, hasPrices: boolean, report: SettingsReport): void {
  const isSaid = ([, value]: [string, unknown]): boolean => value !== null && value !== undefined;
  for (const [field, value] of Object.entries(said).filter(isSaid)) {
    const place = places[field];
    const variable = typeof value === 'string' ? envName(value) : null;
    const ours = fromEnvironment[field];
    if (variable !== null && ours !== undefined)
      report.changed(`litellm_params.${field}`, `set ${ours} of inference to what ${variable} holds, one for all`);
    else if (isAddress.test(field) && (variable !== null || !URL.canParse(String(value)))) continue;
    else if (place !== undefined) report.carried(`litellm_params.${field}`, place);
    else if (isLitellmRate(field) && !rate.safeParse(value).success) report.left(`litellm_params.${field}`, noRate);
    else if (isLitellmRate(field) && hasPrices) report.carried(`litellm_params.${field}`, priced);
    else if (isLitellmRate(field)) report.left(`litellm_params.${field}`, unpriced);
    else if (!read.has(field)) report.left(`litellm_params.${field}`, otherParams[field] ?? unsaid);
  }
  for (const [field] of Object.entries(about).filter(isSaid)) {
    const place = infoPlaces[field];
    if (place !== undefined) report.carried(`model_info.${field}`, place);
    else report.left(`model_info.${field}`, ofCatalog);
  }
}

/** A region or an interface stands in the name, too, where the file says it behind the provider's. */
function priceNames({ model }: Params, { base_model: base }: Partial<Info>, route: Route): string[] {
  const own = priceName(route) ?? '';
  const isSaid = model.startsWith(own.slice(0, own.indexOf('/') + 1));
  const names = [base ?? '', isSaid ? '' : own, model, own, route.model, bare(route.model)];
  return names.filter((name) => name !== '');
}

function everyone(names: readonly string[], note: string): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, note]));
}

/** The built-in provider that speaks OpenAI's format at an address, with or without its version; null: none. */
function providerAt(address: string, builtIn: ReadonlyMap<string, ProviderDefinition>): string | null {
  const plain = (url: string): string => url.replace(/\/+$/, '').replace(/\/v1$/, '');
  for (const { id, dialect, baseUrl } of builtIn.values())
    if (dialect === 'openai-chat' && baseUrl !== null && plain(baseUrl) === plain(address)) return id;
  return null;
}

function bare(model: string): string {
  return model.slice(model.lastIndexOf('/') + 1);
}

function placeOf(
  route: Route,
  said: Params,
  apiBase: string | undefined,
  builtIn: ReadonlyMap<string, ProviderDefinition>,
  report: SettingsReport,
): Place {
  const provider = 'provider' in route ? route.provider : null;
  const preset = 'preset' in route ? route.preset : null;
  const usual = provider === null ? null : (builtIn.get(provider)?.baseUrl ?? null);
  const baseUrl = addressOf(route, usual, said, apiBase, report);
  return {
    ...{ name: null, provider, preset, baseUrl: baseUrl === usual ? null : baseUrl },
    key: keyOf(said.api_key ?? undefined),
    headers: {
      ...(said.organization && { 'openai-organization': said.organization }),
      ...said.extra_headers,
    },
    timeouts: {},
  };
}

/** A key of which LiteLLM says that there is none is none. */
function keyOf(key: string | undefined): Place['key'] {
  if (key === undefined || /^(?:none|null|empty|dummy|)$/i.test(key)) return null;
  const variable = envName(key);
  return variable === null ? { literal: key } : { env: variable };
}

/** The variable that `os.environ/NAME` names; null: it is no such reference. */
function envName(text: string): string | null {
  return /^os\.environ\/([A-Za-z_][A-Za-z0-9_]*)$/.exec(text)?.[1] ?? null;
}

/**
 * Where the provider is reached, null: at its usual place. An address that only the environment knows is told
 * in the report.
 */
function addressOf(
  route: Route,
  usual: string | null,
  { aws_region_name: region, vertex_project: project, vertex_location: location }: Params,
  apiBase: string | undefined,
  report: SettingsReport,
): string | null {
  const provider = 'provider' in route ? route.provider : null;
  const inName = 'region' in route ? route.region : undefined;
  const regionHere = region && envName(region) === null ? region : inName;
  if (provider?.startsWith('bedrock') && usual !== null && regionHere) return usual.replace('{region}', regionHere);
  if (provider?.startsWith('vertex') && usual !== null && (project || location))
    return vertexAddress(usual, literal(project), literal(location));
  if (apiBase === undefined) return usual;
  if (envName(apiBase) !== null || !URL.canParse(apiBase)) {
    report.left('litellm_params.api_base', `write the address that ${apiBase} holds as baseUrl of the provider`);
    return usual;
  }
  const url = new URL(apiBase);
  const path = url.pathname.replace(/\/+$/, '');
  if (provider === 'azure') return azureAddress(url, 'openai');
  if (provider === 'anthropic') return `${url.origin}${path.replace(/\/v1(?:\/messages)?$/, '')}/v1`;
  return `${url.origin}${path}`;
}

/** Undefined: it is absent, or the name of a variable. */
function literal(text: string | null | undefined): string | undefined {
  return text == null || envName(text) !== null ? undefined : text;
}

/**
 * US dollars per million tokens, of dollars per token; null: the deployment says none, or one that is no
 * number. Embeddings have no output.
 */
function pricesOf(said: Params, mode: string): object | null {
  const told = rates.safeParse(Object.fromEntries(Object.entries(said).filter(([field]) => isLitellmRate(field))));
  if (!told.success) return null;
  const { rates: stated, tiers } = litellmRates(told.data);
  const base = { ...(mode === 'embedding' && { output: 0 }), ...stated };
  if (base.input === undefined || base.output === undefined) return null;
  const longContext = tiers.map(({ aboveInputTokens, rates: step }) => ({
    aboveInputTokens,
    ...perMillions({ ...base, ...step }),
  }));
  return { ...perMillions(base), ...(longContext.length > 0 && { longContext }) };
}

function perMillions(perToken: DocumentRates): Record<string, string> {
  return Object.fromEntries(
    Object.entries(perToken).flatMap(([name, value]) => (value === undefined ? [] : [[name, perMillion(value)]])),
  );
}
