import type { BifrostProvider } from './bifrost-provider';
import { isSet, type Said, type SettingsReport } from './settings-report';

const own = (what: string): Said => ['not carried', what];
const retried: Said = [
  'changed',
  'a failed attempt is tried again, and elsewhere, within a budget of retries for each deployment',
];
const logged = own('contentLog of tollgate.yaml, switched on by key (tollgate keys log-content)');
const kept = own(
  'every request is in the ledger; METERING_RETENTION_MONTHS and retentionDays of contentLog say how long',
);
const observed = own(
  'metrics at /metrics, traces by OTLP (OTEL_EXPORTER_OTLP_ENDPOINT); exchanges: contentLog of tollgate.yaml',
);
const tools = own('tools of MCP servers are not run here; those that callers name go to the model');
const aws = own('set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY of inference, one for all of Bedrock');
const databases = own('Tollgate has a Postgres of its own (DATABASE_URL)');
const admins = own('administrators sign in: TOLLGATE_BOOTSTRAP_SECRET makes the first');

/**
 * What becomes of settings of a provider and its keys that no place of a model shows.
 * https://docs.getbifrost.ai/deployment-guides/config-json/providers
 */
const ofProvider: Readonly<Record<string, Said>> = {
  'network_config.base_url': ['carried', 'baseUrl of the provider'],
  'network_config.default_request_timeout_in_seconds': ['carried', 'timeouts of the provider (totalMs)'],
  'network_config.stream_idle_timeout_in_seconds': ['carried', 'timeouts of the provider (idleMs)'],
  'network_config.extra_headers': ['carried', 'headers of the provider'],
  'network_config.max_retries': retried,
  'network_config.retry_backoff_initial': retried,
  'network_config.retry_backoff_max': retried,
  'network_config.allow_private_network': ['carried', 'a provider of tollgate.yaml may be anywhere'],
  'network_config.max_conns_per_host': own('connections are bounded by themselves; maxConcurrent bounds a deployment'),
  'network_config.insecure_skip_verify': own(
    'certificates are always checked; NODE_EXTRA_CA_CERTS adds one of your own',
  ),
  'network_config.ca_cert_pem': own('put it into a file that NODE_EXTRA_CA_CERTS of inference names'),
  'network_config.beta_header_overrides': own('dropBetas among the quirks of the provider'),
  concurrency_and_buffer_size: own('maxConcurrent of a deployment; the rest waits in turn, shared fairly among keys'),
  proxy_config: own('requests leave directly: route them in the network'),
  prompt_cache: own('callers mark what is to be cached'),
  pricing_overrides: own('prices of the model'),
  openai_config: own('callers say it in their requests'),
  send_back_raw_request: own('bytes pass through where both sides speak one format'),
  send_back_raw_response: own('bytes pass through where both sides speak one format'),
  store_raw_request_response: logged,
  'custom_provider_config.base_provider_type': ['carried', 'which format the provider speaks'],
  'custom_provider_config.is_key_less': ['carried', 'a provider without a key'],
  'custom_provider_config.allowed_requests': own(
    'a key may use every surface; what it may ask is a matter of its models',
  ),
  'custom_provider_config.request_path_overrides': own('baseUrl of the provider, with the usual paths behind it'),
};
const ofKey: Readonly<Record<string, Said>> = {
  name: ['carried', 'a provider, with a number from the second on'],
  models: ['carried', 'the models that it has deployments of'],
  blacklisted_models: [
    'changed',
    'no deployment of these has this key; what the catalog has is refused only to keys that name their models',
  ],
  weight: ['carried', 'weight of the deployment'],
  aliases: ['carried', 'upstreamModel of the deployment'],
  use_for_batch_api: own('batches are not served here'),
  'azure_key_config.endpoint': ['carried', 'baseUrl of the provider'],
  'azure_key_config.deployments': ['carried', 'upstreamModel of the deployment'],
  'azure_key_config.api_version': own('Azure is asked by its v1 API, which needs none'),
  azure_key_config: own('Azure is asked with a key here'),
  'bedrock_key_config.region': ['carried', 'baseUrl of the provider'],
  'bedrock_key_config.deployments': ['carried', 'upstreamModel of the deployment'],
  'bedrock_key_config.arn': own('write it in front of the name in upstreamModel of its deployments'),
  bedrock_key_config: aws,
  'vertex_key_config.project_id': ['carried', 'baseUrl of the provider'],
  'vertex_key_config.region': ['carried', 'baseUrl of the provider'],
  'vertex_key_config.deployments': ['carried', 'upstreamModel of the deployment'],
  vertex_key_config: own('set GOOGLE_APPLICATION_CREDENTIALS of inference to the file of the account'),
  'vllm_key_config.url': ['carried', 'baseUrl of the provider'],
  'vllm_key_config.model_name': ['carried', 'upstreamModel of the deployment'],
  'ollama_key_config.url': ['carried', 'baseUrl of the provider'],
  'sgl_key_config.url': ['carried', 'baseUrl of the provider'],
};
/** What says nothing that could be carried. */
const silent = new Set(['id', 'value', 'enabled', 'config_hash', 'description']);

/** Tells what becomes of each setting of a provider and its keys. */
export function tellProvider(said: BifrostProvider, report: SettingsReport): void {
  const { keys, ...others } = said;
  report.tellAll('providers', pathsOf(others), ofProvider);
  for (const key of keys ?? [])
    report.tellAll(
      'providers.keys',
      pathsOf(key).filter((path) => !silent.has(path)),
      ofKey,
    );
}

/**
 * What becomes of sections beside providers and governance.
 * https://docs.getbifrost.ai/deployment-guides/config-json/schema-reference
 */
const others: Readonly<Record<string, Said>> = {
  encryption_key: own('keys of callers are stored as digests under TOLLGATE_KEY_PEPPER'),
  version: ['carried', 'how empty lists are read'],
  source_of_truth: own('tollgate.yaml is the truth for providers, models and plans'),
  config_store: databases,
  logs_store: databases,
  vector_store: own('the response cache is in the memory of each edge (x-tollgate-cache)'),
  'client.initial_pool_size': own('connections are bounded by themselves'),
  'client.drop_excess_requests': ['changed', 'what cannot be served at once is refused with 503 and Retry-After'],
  'client.enable_logging': logged,
  'client.disable_content_logging': ['carried', 'requests and answers are in no log unless a key has it switched on'],
  'client.log_retention_days': kept,
  'client.logging_headers': own('x-tollgate-tags of a request'),
  'client.allowed_origins': own('browsers do not call the API: keys belong to servers'),
  'client.enforce_auth_on_inference': ['carried', 'every request needs a key'],
  'client.enforce_governance_header': ['carried', 'every request needs a key'],
  'client.allow_direct_keys': own('callers never send keys of providers'),
  'client.max_request_body_size_mb': own('EDGE_BODY_LIMIT'),
  'client.prometheus_labels': own('labels of the scrape, in Prometheus'),
  'client.required_headers': own('rules of the proxy in front'),
  'client.header_filter_config': own('headers of callers reach only a provider of the same format'),
  'client.compat.should_drop_params': [
    'changed',
    'a field that a model cannot take is refused (400), or dropped and told in x-gateway-warnings where that is harmless',
  ],
  'client.compat': own('requests are translated where the provider speaks another format'),
  'client.mcp*': tools,
  mcp: tools,
  auth_config: admins,
  'governance.auth_config': admins,
  'governance.routing_rules': own(
    'deployments and fallbacks of a model, by hand: nothing of a request chooses a route here',
  ),
  'client.enable_litellm_fallbacks': own('requests are translated where the provider speaks another format'),
  'client.async_job*': own('answers come with their requests'),
  'governance.pricing_overrides': own('prices of the model'),
  'governance.projects': own('an account, with budgets of its keys'),
  guardrails_config: own('guardrails of tollgate.yaml: pii and regex, see its example'),
  access_profiles: own('models of each key'),
  alerting: own('alerts are rules of Prometheus: deploy/observability; tollgate webhooks tells other programs'),
  cluster_config: own('edges share limits in Valkey (VALKEY_URL): docs/cluster.md'),
  framework: own('prices are those of the catalog: tollgate prices update'),
  websocket: own('connections are bounded by themselves'),
  server: own('headers are bounded by themselves'),
  env_label: own('name the installation where it is monitored'),
  'plugins.semantic_cache': own(
    'the same request is answered from the cache (tollgate keys create --cache), a similar one is not',
  ),
  'plugins.governance': ['carried', 'limits and budgets always hold'],
  'plugins.logging': logged,
  'plugins.telemetry': ['carried', 'metrics at /metrics of each service'],
  plugins: observed,
};

/** Tells what becomes of the sections that are not read. `sections`: all of the file but what is. */
export function tellOthers(sections: Readonly<Record<string, unknown>>, report: SettingsReport): void {
  const { $schema: _, plugins, ...rest } = sections;
  const named = Array.isArray(plugins) ? plugins.map((one: unknown) => `plugins.${nameOf(one)}`) : [];
  report.tellAll('', [...pathsOf(rest), ...named], others);
}

function nameOf(plugin: unknown): string {
  return typeof plugin === 'object' && plugin !== null && 'name' in plugin ? String(plugin.name) : 'unnamed';
}

/** The paths of what is said, into objects: `network_config.base_url`. */
function pathsOf(said: Readonly<Record<string, unknown>>, inside = ''): string[] {
  return Object.entries(said).flatMap(([field, value]) => {
    if (!isSet(value)) return [];
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    const isSection = isObject && (inside === '' || field === 'compat') && !whole.has(field);
    return isSection ? pathsOf(value as Record<string, unknown>, `${inside}${field}.`) : [`${inside}${field}`];
  });
}

/** Objects of which one thing is to be said. */
const whole = new Set([
  ...['concurrency_and_buffer_size', 'proxy_config', 'prompt_cache', 'aliases', 'mcp', 'auth_config', 'alerting'],
  ...['config_store', 'logs_store', 'vector_store', 'guardrails_config', 'cluster_config', 'framework', 'websocket'],
]);
