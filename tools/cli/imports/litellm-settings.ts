import type { Said } from './settings-report';

const own = (what: string): Said => ['not carried', what];
const redis = own('edges share limits and the cache in Valkey: set VALKEY_URL at every edge');
const health = own('a deployment that fails is left alone by itself, and asked again (decision 0009)');
const budget = own('budgets are of accounts and keys: tollgate budgets create');
const callbacks = own(
  'metrics at /metrics, traces by OTLP (OTEL_EXPORTER_OTLP_ENDPOINT); exchanges: contentLog of tollgate.yaml',
);
const alerts = own('alerts are rules of Prometheus: deploy/observability');
const retried: Said = [
  'changed',
  'a failed attempt is tried again, and elsewhere, within a budget of retries for each deployment',
];
const tooLong = own('a request that is too long is a 400; add the larger model to fallbacks, or ask it');
const refused = own('a refusal is an answer; nothing is asked in its place');
const cached = own('tollgate keys create --cache, or a header of the request (x-tollgate-cache)');
const newAccounts = own('plans of tollgate.yaml say what a new account may');
const tools = own('callers talk to servers of tools themselves; tools of a request reach the model as they are');
const guarded = own('guardrails of tollgate.yaml: pii and regex, see its example');
const secrets = own('keys are read of the environment: have your secret manager fill it, or secrets of Kubernetes');
const forwarded = own(
  'headers of a provider are in tollgate.yaml; of those of callers only what a model takes goes on',
);
const sizes = own('bodies and answers are bounded by themselves; the proxy in front may refuse sooner');
const everySurface = own('a key may use every surface; roles say who may do what else');
const callers = own('give each caller a key; people sign in with an OpenID provider (OIDC_ISSUER)');

/**
 * What becomes of the settings of LiteLLM beside its models, where that is the same whatever they say. A name
 * that ends with a star stands for all that begin so. https://docs.litellm.ai/docs/proxy/config_settings
 */
export const litellmSettings: Readonly<Record<string, Said>> = {
  'router_settings.num_retries': retried,
  'router_settings.routing_strategy': [
    'changed',
    'callers are shared out by weight, each staying where its prompt cache is; broken places are passed over',
  ],
  'router_settings.routing_strategy_args': own('there is one way of sharing out: weight and priority of a deployment'),
  'router_settings.redis*': redis,
  'router_settings.cache_responses': cached,
  'router_settings.allowed_fails*': health,
  'router_settings.cooldown_time': health,
  'router_settings.disable_cooldowns': health,
  'router_settings.retry_policy': health,
  'router_settings.retry_after': health,
  'router_settings.model_group_retry_policy': health,
  'router_settings.context_window_fallbacks': tooLong,
  'router_settings.content_policy_fallbacks': refused,
  'router_settings.enable_pre_call_checks': ['carried', 'requests are always checked against what a model can do'],
  'router_settings.enable_tag_filtering': own('tags choose no deployment here'),
  'router_settings.provider_budget_config': budget,
  'router_settings.default_max_parallel_requests': own('maxConcurrent of each deployment'),
  'router_settings.default_litellm_params': own('callers say it in their requests'),
  'router_settings.optional_pre_call_checks': [
    'changed',
    'a caller stays where its prompt cache is; what belongs to one provider goes to that one alone',
  ],
  'router_settings.max_fallbacks': own('list no more fallbacks of a model than are to be asked'),
  'router_settings.set_verbose': own('LOG_LEVEL=debug'),
  'router_settings.debug_level': own('LOG_LEVEL=debug'),
  'router_settings.tag_filtering*': own('tags choose no deployment here'),
  'router_settings.ignore_invalid_deployments': own('tollgate check names what is wrong before anything starts'),
  'litellm_settings.num_retries': retried,
  'litellm_settings.drop_params': [
    'changed',
    'a field that a model cannot take is refused (400), or dropped and told in x-gateway-warnings where that is harmless',
  ],
  'litellm_settings.modify_params': own('requests are translated, never changed silently'),
  'litellm_settings.cache': cached,
  'litellm_settings.cache_params': redis,
  'litellm_settings.context_window_fallbacks': tooLong,
  'litellm_settings.content_policy_fallbacks': refused,
  'litellm_settings.callbacks': callbacks,
  'litellm_settings.success_callback': callbacks,
  'litellm_settings.failure_callback': callbacks,
  'litellm_settings.service_callback*': callbacks,
  'litellm_settings.langfuse*': callbacks,
  'litellm_settings.turn_off_message_logging': [
    'carried',
    'requests and answers are in no log unless a key has it switched on',
  ],
  'litellm_settings.redact*': ['carried', 'logs hold no bodies and no credentials'],
  'litellm_settings.set_verbose': own('LOG_LEVEL=debug'),
  'litellm_settings.json_logs': ['carried', 'logs are JSON'],
  'litellm_settings.max_budget': budget,
  'litellm_settings.budget_duration': budget,
  'litellm_settings.max_end_user_budget*': own(
    "make a budget of each end user: tollgate budgets create --end-user '*'",
  ),
  'litellm_settings.default_internal_user_params': newAccounts,
  'litellm_settings.default_team_*': newAccounts,
  'litellm_settings.upperbound_key_generate_params': newAccounts,
  'litellm_settings.ssl_verify': own(
    'certificates of providers are always checked; NODE_EXTRA_CA_CERTS adds one of your own',
  ),
  'litellm_settings.guardrails': guarded,
  'litellm_settings.allowed_fails*': health,
  'litellm_settings.cooldown_time': health,
  'litellm_settings.tag_budget_config': own('make budgets of tags: tollgate budgets create --tag'),
  'litellm_settings.default_max_internal_user_budget': newAccounts,
  'litellm_settings.internal_user_budget_duration': newAccounts,
  'litellm_settings.key_generation_settings': own('roles say who may make keys: docs/roles.md'),
  'litellm_settings.additional_drop_params': own(
    'what a model cannot take is refused, or dropped and told in x-gateway-warnings',
  ),
  'litellm_settings.enable_json_schema_validation': own('callers check what they asked for'),
  'litellm_settings.model_group_settings': forwarded,
  'litellm_settings.mcp_aliases': tools,
  'litellm_settings.default_key_generate_params': newAccounts,
  'litellm_settings.max_internal_user_budget': newAccounts,
  'litellm_settings.telemetry': ['carried', 'nothing is told to anybody'],
  'litellm_settings.log_level': own('LOG_LEVEL'),
  'general_settings.allow_user_auth': callers,
  'general_settings.disable_auth': own('every request needs a key'),
  'general_settings.enable_key_management': own('roles say who may make keys: docs/roles.md'),
  'general_settings.ui*': own('the dashboard is at the same address; roles say what people see: docs/roles.md'),
  'general_settings.proxy_base_url': own('TOLLGATE_PUBLIC_URL'),
  'general_settings.always_include_stream_usage': [
    'changed',
    'usage is always counted; callers are told it in a stream where they ask (stream_options.include_usage)',
  ],
  'general_settings.proxy_budget_rescheduler*': ['carried', 'budgets begin anew by themselves'],
  'general_settings.use_redis*': redis,
  'general_settings.enable_redis*': redis,
  'general_settings.request_timeout': own('LiteLLM reads it in litellm_settings alone: write timeouts of each model'),
  'general_settings.num_workers': own('a service is one process: run more instances of it'),
  'general_settings.disable_error_logs': own('every request is in the ledger, those that failed, too'),
  'general_settings.disable_end_user*': own('usage has the end user that a request names, and no other'),
  'general_settings.master_key': own(
    'administrators sign in: TOLLGATE_BOOTSTRAP_SECRET makes the first; who used it as a key needs one (tollgate keys create)',
  ),
  'general_settings.database_url': ['changed', 'read by --database; Tollgate has a database of its own (DATABASE_URL)'],
  'general_settings.database_*': own('DATABASE_URL; connections are bounded by themselves'),
  'general_settings.store_model_in_db': own('models are in tollgate.yaml'),
  'general_settings.salt_key': own('nothing is kept that needs one'),
  'general_settings.alert*': alerts,
  'general_settings.slack*': alerts,
  'general_settings.health_check*': health,
  'general_settings.background_health_checks': health,
  'general_settings.max_parallel_requests': own('concurrency of a plan, maxConcurrent of a deployment'),
  'general_settings.global_max_parallel_requests': own('edges refuse by themselves what they cannot hold'),
  'general_settings.completion_model': own('a caller names its model'),
  'litellm_settings.default_model': own('a caller names its model'),
  'general_settings.pass_through_endpoints': own('only surfaces that are known are served: docs/dialects.md'),
  'general_settings.maximum_spend_logs_retention*': own('METERING_RETENTION_MONTHS'),
  'general_settings.max_request_size_mb': sizes,
  'general_settings.max_response_size_mb': sizes,
  'general_settings.forward_client_headers_to_llm_api': forwarded,
  'general_settings.user_header*': own('end users are told by known headers and fields: docs/operate.md, Who spent it'),
  'general_settings.enforce_user_param': own('a key for each caller tells who spent what'),
  'general_settings.store_prompts_in_spend_logs': own('contentLog of tollgate.yaml, for keys that have it switched on'),
  'general_settings.key_management_*': secrets,
  'general_settings.use_google_kms': secrets,
  'general_settings.use_azure_key_vault': secrets,
  'general_settings.use_x_forwarded_for': own('TRUST_PROXY of edge'),
  'general_settings.ui_access_mode': own('roles say what people see: docs/roles.md'),
  'general_settings.role_permissions': own('roles say what people may do: docs/roles.md'),
  'general_settings.allowed_routes': everySurface,
  'general_settings.public_routes': everySurface,
  'general_settings.admin_only_routes': everySurface,
  'general_settings.allow_requests_on_db_unavailable': ['carried', 'known keys go on without Postgres'],
  'general_settings.litellm_key_header_name': own('a key is taken as Authorization: Bearer, and as x-litellm-api-key'),
  'general_settings.disable_spend_logs': own('every request is in the ledger'),
  'general_settings.custom_auth': own('keys, sessions and an OpenID provider say who calls'),
  'general_settings.enable_jwt_auth': callers,
  'general_settings.litellm_jwtauth': callers,
  'general_settings.allowed_ips': own('rules of a firewall, or of the proxy in front'),
  'general_settings.proxy_batch_write_at': ['carried', 'usage is stored within a second'],
  guardrails: guarded,
  mcp_servers: tools,
  prompts: own('prompts are of callers'),
  files_settings: own('files are not kept here: docs/dialects.md'),
  finetune_settings: own('nothing is trained here: callers ask their provider'),
  vector_store_registry: tools,
  search_tools: tools,
};
