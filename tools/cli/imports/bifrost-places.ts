import type { ProviderDefinition } from '@tollgate/contracts/catalog';
import type { Base, BifrostKey, BifrostProvider } from './bifrost-provider';
import { envName } from './bifrost-values';
import { azureAddress, bedrockAddress, vertexAddress } from './cloud-addresses';
import type { Place } from './provider-entries';
import type { SettingsReport } from './settings-report';

/** What a reading of the providers needs besides them. */
export interface PlaceContext {
  builtIn: ReadonlyMap<string, ProviderDefinition>;
  /** Where addresses that the file names by a variable are looked up. */
  environment: NodeJS.ProcessEnv;
  report: SettingsReport;
}

/**
 * How a key of a provider reaches the model that is called so there. `name` is the provider's own, for an
 * entry that is not built in.
 */
export function placeOf(
  model: string,
  key: BifrostKey,
  { name, base, said }: { name: string; base: Base; said: BifrostProvider },
  context: PlaceContext,
): Place {
  const provider = 'builtIn' in base ? builtInFor(model, base.builtIn) : null;
  const usual = provider === null ? null : (context.builtIn.get(provider)?.baseUrl ?? null);
  const baseUrl = addressOf(provider, usual, key, said, context);
  return {
    ...{ name: said.custom_provider_config ? name : null, provider, preset: 'preset' in base ? base.preset : null },
    baseUrl: baseUrl === usual ? null : baseUrl,
    key: keyOf(key.value ?? ''),
    headers: headersOf(said, context.report),
    timeouts: timeoutsOf(said),
  };
}

/** Claude has a format and a provider of its own at Azure and Vertex AI. */
function builtInFor(model: string, [usual = '', forClaude]: readonly string[]): string {
  return forClaude !== undefined && /claude/i.test(model) ? forClaude : usual;
}

function keyOf(value: string): Place['key'] {
  if (value === '') return null;
  const variable = envName(value);
  return variable === null ? { literal: value } : { env: variable };
}

function addressOf(
  provider: string | null,
  usual: string | null,
  key: BifrostKey,
  said: BifrostProvider,
  context: PlaceContext,
): string | null {
  const text = (value: string | null | undefined): string | undefined => resolved(value ?? '', context);
  const region = text(key.bedrock_key_config?.region);
  if (provider === 'bedrock' && region !== undefined) return bedrockAddress(region);
  const { project_id: project, region: location } = key.vertex_key_config ?? {};
  if (provider?.startsWith('vertex') && usual !== null) return vertexAddress(usual, text(project), text(location));
  const own = key.azure_key_config?.endpoint ?? key.vllm_key_config?.url ?? key.ollama_key_config?.url;
  const address = text(own ?? key.sgl_key_config?.url ?? said.network_config?.base_url);
  if (address === undefined || !URL.canParse(address)) return usual;
  const url = new URL(address);
  if (provider === 'azure') return azureAddress(url, 'openai');
  if (provider === 'azure-anthropic') return azureAddress(url, 'anthropic');
  return `${url.origin}${withVersion(url.pathname, usual)}`;
}

/** Bifrost's addresses end before the version that ours end with. */
function withVersion(path: string, usual: string | null): string {
  const plain = path.replace(/\/+$/, '');
  const version = usual === null ? '/v1' : new URL(usual).pathname.replace(/\/+$/, '');
  return plain.endsWith(version) ? plain : `${plain}${version}`;
}

/** A text, also where the environment has it; undefined, and told in the report, where nobody knows it. */
function resolved(text: string, { environment, report }: PlaceContext): string | undefined {
  const variable = envName(text);
  const value = variable === null ? text : (environment[variable] ?? '');
  if (variable !== null && value === '')
    report.left('providers (addresses)', `set ${variable} and run it again, or write baseUrl of the provider by hand`);
  return value === '' ? undefined : value;
}

function headersOf({ network_config: network }: BifrostProvider, report: SettingsReport): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [header, value] of Object.entries(network?.extra_headers ?? {})) {
    if (envName(value) === null) headers[header] = value;
    else report.left('providers.network_config.extra_headers', `${header} stands in ${value}: write it by hand`);
  }
  return headers;
}

function timeoutsOf({ network_config: network }: BifrostProvider): Place['timeouts'] {
  const { default_request_timeout_in_seconds: total, stream_idle_timeout_in_seconds: idle } = network ?? {};
  return {
    ...(typeof idle === 'number' && { idleMs: Math.ceil(idle * 1_000) }),
    ...(typeof total === 'number' && { totalMs: Math.ceil(total * 1_000) }),
  };
}
