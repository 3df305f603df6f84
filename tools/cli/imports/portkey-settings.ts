import type { PortkeyConfig } from './portkey-config';
import { isSet, type Said, type SettingsReport } from './settings-report';

const own = (what: string): Said => ['not carried', what];
const guarded = own('guardrails of tollgate.yaml: pii and regex, see its example');
// https://portkey.ai/docs/product/ai-gateway/circuit-breaker
const broken = own('a deployment that fails is left alone by itself, and asked again (decision 0009)');
const aws = own('set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY of inference, one for all of Bedrock');

/**
 * What becomes of the settings of a config that are not told where they are carried.
 * https://portkey.ai/docs/api-reference/inference-api/config-object
 */
const settings: Readonly<Record<string, Said>> = {
  retry: ['changed', 'a failed attempt is tried again, and elsewhere, within a budget of retries for each deployment'],
  'cache.simple': own('tollgate keys create --cache 10m, or a header of the request (x-tollgate-cache)'),
  'cache.semantic': own('only the same request is answered from the cache: tollgate keys create --cache 10m'),
  cache: own('tollgate keys create --cache 10m, or a header of the request (x-tollgate-cache)'),
  cache_force_refresh: own('a request without x-tollgate-cache is not answered from the cache'),
  'strategy.on_status_codes': [
    'changed',
    'another place is asked after errors that another place may not have: 408, 429 and 5xx, never those of the request itself',
  ],
  on_status_codes: [
    'changed',
    'another place is asked after errors that another place may not have: 408, 429 and 5xx, never those of the request itself',
  ],
  'strategy.cb_config': broken,
  cb_config: broken,
  'strategy.sticky_session': ['carried', 'each caller stays where its prompt cache is'],
  'override_params.model': ['carried', 'upstreamModel of the deployment'],
  override_params: own('callers say it in their requests'),
  custom_host: ['carried', 'baseUrl of the provider'],
  resource_name: ['carried', 'baseUrl of the provider'],
  azure_resource_name: ['carried', 'baseUrl of the provider'],
  deployment_id: ['carried', 'upstreamModel of the deployment'],
  azure_deployment_id: ['carried', 'upstreamModel of the deployment'],
  api_version: own('Azure is asked by its v1 API, which needs none'),
  azure_api_version: own('Azure is asked by its v1 API, which needs none'),
  aws_region: ['carried', 'baseUrl of the provider'],
  aws_access_key_id: aws,
  aws_secret_access_key: aws,
  aws_session_token: aws,
  vertex_project_id: ['carried', 'baseUrl of the provider'],
  vertex_region: ['carried', 'baseUrl of the provider'],
  vertex_service_account_json: own('set GOOGLE_APPLICATION_CREDENTIALS of inference to a file with it'),
  openai_organization: ['carried', 'headers of the provider'],
  openai_project: own('headers of the provider (openai-project), by hand'),
  anthropic_beta: own('callers say it in their requests (anthropic-beta)'),
  anthropic_version: own('the version that inference knows is asked'),
  forward_headers: own('headers of callers reach only a provider of the same format'),
  input_guardrails: guarded,
  output_guardrails: guarded,
  default_input_guardrails: guarded,
  default_output_guardrails: guarded,
  before_request_hooks: guarded,
  after_request_hooks: guarded,
  strict_open_ai_compliance: ['carried', 'answers are those of the format that the caller speaks'],
  metadata: own('x-tollgate-tags of the request, or x-portkey-metadata as before'),
  trace_id: own('traceparent of the request'),
};
/** What is told where it is read, or says nothing that could be carried. */
const silent = new Set([
  ...['name', 'targets', 'weight', 'provider', 'virtual_key', 'api_key', 'request_timeout', 'strategy.mode'],
  ...['strategy.conditions', 'strategy.default'],
]);

/** Tells what becomes of each setting of a config and its targets. */
export function tellConfig(config: PortkeyConfig, report: SettingsReport): void {
  report.tellAll(
    '',
    pathsOf(config).filter((path) => !silent.has(path)),
    settings,
  );
  for (const target of config.targets ?? []) tellConfig(target, report);
}

function pathsOf(config: PortkeyConfig): string[] {
  return Object.entries(config).flatMap(([field, value]) => {
    if (!isSet(value)) return [];
    if (field === 'strategy' || field === 'override_params')
      return Object.keys(value as object).map((name) => `${field}.${name}`);
    return [field === 'cache' ? `cache.${modeOf(value)}` : field];
  });
}

function modeOf(cache: unknown): string {
  return typeof cache === 'object' && cache !== null && 'mode' in cache ? String(cache.mode) : 'simple';
}
