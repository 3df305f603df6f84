import type { ProviderDefinition, ServerName } from '@tollgate/contracts/catalog';
import { azureAddress, bedrockAddress, vertexAddress } from './cloud-addresses';
import type { PortkeyConfig } from './portkey-config';
import type { Place } from './provider-entries';
import type { SettingsReport } from './settings-report';

/**
 * Built-in providers by Portkey's names of them.
 * https://github.com/Portkey-AI/gateway/blob/main/src/globals.ts
 */
const providers: Readonly<Record<string, string>> = {
  ...{ openai: 'openai', anthropic: 'anthropic', 'azure-openai': 'azure', bedrock: 'bedrock', google: 'google' },
  ...{ 'vertex-ai': 'vertex', cohere: 'cohere', 'mistral-ai': 'mistral', groq: 'groq', 'together-ai': 'togetherai' },
  ...{ 'fireworks-ai': 'fireworks', 'perplexity-ai': 'perplexity', deepseek: 'deepseek', 'x-ai': 'xai' },
  ...{ cerebras: 'cerebras', moonshot: 'moonshot', openrouter: 'openrouter', dashscope: 'alibaba', 'z-ai': 'zai' },
};
const servers: Readonly<Record<string, ServerName>> = { ollama: 'ollama' };

/**
 * What a reading of targets needs besides them. `named`: Portkey's providers of virtual keys, by their
 * slugs.
 */
export interface PlaceContext {
  builtIn: ReadonlyMap<string, ProviderDefinition>;
  named: ReadonlyMap<string, string>;
  report: SettingsReport;
}

/**
 * How a target is reached; `slug`: what Portkey calls the provider with its key, null: it is named itself.
 */
export interface TargetPlace {
  place: Place;
  slug: string | null;
}

/** How a target is reached; null, and told in the report, where Tollgate knows no such provider. */
export function targetPlace(target: PortkeyConfig, model: string, context: PlaceContext): TargetPlace | null {
  const { report } = context;
  const slug = target.virtual_key ?? (target.provider?.startsWith('@') ? target.provider.slice(1) : null);
  const name = slug === null ? target.provider : providerOf(slug, target, context);
  const base = name == null ? null : baseOf(name, target, model);
  if (!base) {
    if (slug === null)
      report.left(
        `provider ${name ?? ''}`,
        'no such provider is known here: add its server (preset: openai-compatible)',
      );
    else report.left(`virtual_key ${slug}`, `say whose key it is: --provider ${slug}=openai`);
    return null;
  }
  const provider = 'provider' in base ? base.provider : null;
  const usual = provider === null ? null : (context.builtIn.get(provider)?.baseUrl ?? null);
  const baseUrl = addressOf(provider, usual, target);
  if (baseUrl?.includes('{')) tellAddress(slug ?? name ?? '', provider, context);
  return {
    slug,
    place: {
      ...{ name: slug === null ? null : entryName(slug), provider, preset: 'preset' in base ? base.preset : null },
      baseUrl: baseUrl === usual ? null : baseUrl,
      key: keyOf(slug, target),
      headers: target.openai_organization ? { 'openai-organization': target.openai_organization } : {},
      timeouts: {},
    },
  };
}

/** What an address still lacks, only Portkey knows. */
function tellAddress(name: string, provider: string | null, { builtIn, report }: PlaceContext): void {
  const { placeholders = {} } = (provider === null ? undefined : builtIn.get(provider)) ?? {};
  const variables = Object.values(placeholders).flatMap(({ env }) => env.slice(0, 1));
  report.left(`address of ${name}`, `set ${variables.join(', ')} of inference, or write baseUrl of the provider`);
}

/** As its target or --provider says, else as its slug begins. */
function providerOf(slug: string, { provider }: PortkeyConfig, { named, report }: PlaceContext): string | null {
  const said = named.get(slug) ?? (provider?.startsWith('@') ? null : provider);
  if (said != null) return said;
  const guess = [...Object.keys(providers), ...Object.keys(servers)]
    .filter((name) => slug === name || slug.startsWith(`${name}-`))
    .toSorted((a, b) => b.length - a.length)[0];
  if (guess === undefined) return null;
  report.changed(
    `virtual_key ${slug}`,
    `taken for a key of ${guess}, as it is called; --provider ${slug}=<provider> says otherwise`,
  );
  return guess;
}

function baseOf(
  name: string,
  { custom_host: host }: PortkeyConfig,
  model: string,
): { provider: string } | { preset: ServerName } | null {
  const preset = Object.hasOwn(servers, name) ? servers[name] : undefined;
  if (preset) return { preset };
  const provider = Object.hasOwn(providers, name) ? providers[name] : undefined;
  if (provider === 'openai' && host != null) return { preset: 'openai-compatible' };
  if (provider === 'vertex' && /claude/.test(model)) return { provider: 'vertex-anthropic' };
  return provider === undefined ? null : { provider };
}

function keyOf(slug: string | null, { api_key: key }: PortkeyConfig): Place['key'] {
  if (slug !== null) return { literal: `virtual key ${slug}`, kept: 'the key is kept at Portkey' };
  return key == null ? null : { literal: key };
}

function addressOf(provider: string | null, usual: string | null, target: PortkeyConfig): string | null {
  const { custom_host: host, aws_region: region, vertex_project_id: project, vertex_region: location } = target;
  if (host != null && URL.canParse(host)) return host.replace(/\/+$/, '');
  const resource = target.resource_name ?? target.azure_resource_name;
  if (provider === 'azure' && resource != null)
    return azureAddress(new URL(`https://${resource}.openai.azure.com`), 'openai');
  if (provider === 'bedrock' && region != null) return bedrockAddress(region);
  if (provider?.startsWith('vertex') && usual !== null && (project != null || location != null))
    return vertexAddress(usual, project ?? undefined, location ?? undefined);
  return usual;
}

/** A slug as the id of a provider. */
function entryName(slug: string): string {
  return (
    slug
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, '-')
      .replaceAll(/^-+|-+$/g, '') || 'portkey'
  );
}
