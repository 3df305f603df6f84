import type { ServerName } from '@tollgate/contracts/catalog';
import { z } from 'zod';
import { secretText } from './bifrost-values';

const seconds = z.coerce.number().positive().max(86_400).nullish();
const address = secretText.nullish();
/** What an alias of a key stands for: https://docs.getbifrost.ai/providers/aliasing-models */
const aliasTarget = z.union([
  z
    .string()
    .min(1)
    .transform((id) => ({ model_id: id, model_name: undefined })),
  z.looseObject({ model_id: z.string().min(1), model_name: z.string().optional() }),
]);

/** As aliases, of a cloud: https://docs.getbifrost.ai/providers/supported-providers/bedrock */
const deployments = z.record(z.string(), aliasTarget).nullish();

/**
 * A key of a provider, as far as it is read.
 * https://docs.getbifrost.ai/deployment-guides/config-json/providers
 */
const providerKey = z.looseObject({
  name: z.string().nullish(),
  id: z.string().nullish(),
  value: secretText.nullish(),
  models: z.array(z.string()).nullish(),
  /** Counts more than `models`: https://docs.getbifrost.ai/changelogs/v1.4.17 */
  blacklisted_models: z.array(z.string()).nullish(),
  weight: z.coerce.number().nonnegative().nullish(),
  enabled: z.boolean().nullish(),
  aliases: z.record(z.string(), aliasTarget).nullish(),
  azure_key_config: z.looseObject({ endpoint: address, deployments }).nullish(),
  bedrock_key_config: z.looseObject({ region: address, deployments }).nullish(),
  vertex_key_config: z.looseObject({ project_id: address, region: address, deployments }).nullish(),
  vllm_key_config: z.looseObject({ url: address, model_name: z.string().nullish() }).nullish(),
  ollama_key_config: z.looseObject({ url: address }).nullish(),
  sgl_key_config: z.looseObject({ url: address }).nullish(),
});
export type BifrostKey = z.output<typeof providerKey>;

/** Which model is asked for under which name, for those that are called otherwise at the provider. */
export function aliasesOf(key: BifrostKey): NonNullable<BifrostKey['aliases']> {
  const { azure_key_config: azure, bedrock_key_config: bedrock, vertex_key_config: vertex, aliases } = key;
  return { ...azure?.deployments, ...bedrock?.deployments, ...vertex?.deployments, ...aliases };
}

/** An entry of `providers`. */
export const bifrostProvider = z.looseObject({
  keys: z.array(providerKey).nullish(),
  network_config: z
    .looseObject({
      base_url: address,
      default_request_timeout_in_seconds: seconds,
      stream_idle_timeout_in_seconds: seconds,
      extra_headers: z.record(z.string(), z.string()).nullish(),
    })
    .nullish(),
  custom_provider_config: z
    .looseObject({ base_provider_type: z.string().nullish(), is_key_less: z.boolean().nullish() })
    .nullish(),
});
export type BifrostProvider = z.output<typeof bifrostProvider>;

/** Where a provider of Bifrost leads: built-in ones, the usual one first, or a server of one's own. */
export type Base = { builtIn: readonly string[] } | { preset: ServerName };

/** https://docs.getbifrost.ai/deployment-guides/config-json/schema-reference#providers */
const bases: Readonly<Record<string, Base>> = {
  openai: { builtIn: ['openai'] },
  anthropic: { builtIn: ['anthropic'] },
  // Claude is asked there in its own format, which is another provider here.
  azure: { builtIn: ['azure', 'azure-anthropic'] },
  bedrock: { builtIn: ['bedrock'] },
  vertex: { builtIn: ['vertex', 'vertex-anthropic'] },
  gemini: { builtIn: ['google'] },
  mistral: { builtIn: ['mistral'] },
  groq: { builtIn: ['groq'] },
  cohere: { builtIn: ['cohere'] },
  perplexity: { builtIn: ['perplexity'] },
  xai: { builtIn: ['xai'] },
  cerebras: { builtIn: ['cerebras'] },
  deepseek: { builtIn: ['deepseek'] },
  openrouter: { builtIn: ['openrouter'] },
  fireworks: { builtIn: ['fireworks'] },
  ollama: { preset: 'ollama' },
  vllm: { preset: 'vllm' },
  sgl: { preset: 'sglang' },
};

/** Where a provider leads; null: to nothing that Tollgate knows. */
export function baseOf(
  name: string,
  { custom_provider_config: custom, network_config: network }: BifrostProvider,
): Base | null {
  const type = custom?.base_provider_type ?? name;
  const base = Object.hasOwn(bases, type) ? (bases[type] ?? null) : null;
  const address = network?.base_url ?? '';
  // A provider of one's own that speaks OpenAI's format elsewhere is a server, and not OpenAI behind a proxy.
  if (custom != null && type === 'openai' && address !== '' && !/^https:\/\/api\.openai\.com\b/.test(address))
    return { preset: 'openai-compatible' };
  return base;
}
