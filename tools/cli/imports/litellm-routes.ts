import type { ServerName } from '@tollgate/contracts/catalog';

/**
 * Where a deployment of LiteLLM leads: a built-in provider, or a server of one's own, and the model's name
 * there. `region`: of Bedrock, where the name says one.
 */
export type Route = { model: string } & ({ provider: string; region?: string } | { preset: ServerName });

/**
 * Built-in providers by what stands before the slash of `litellm_params.model`.
 * https://docs.litellm.ai/docs/providers
 */
const providers: Readonly<Record<string, string>> = {
  openai: 'openai',
  azure: 'azure',
  anthropic: 'anthropic',
  gemini: 'google',
  vertex_ai: 'vertex',
  vertex_ai_beta: 'vertex',
  bedrock: 'bedrock',
  bedrock_converse: 'bedrock',
  groq: 'groq',
  mistral: 'mistral',
  deepseek: 'deepseek',
  xai: 'xai',
  cohere: 'cohere',
  cohere_chat: 'cohere',
  together_ai: 'togetherai',
  fireworks_ai: 'fireworks',
  openrouter: 'openrouter',
  perplexity: 'perplexity',
  cerebras: 'cerebras',
  nvidia_nim: 'nvidia',
  moonshot: 'moonshot',
  zai: 'zai',
  dashscope: 'alibaba',
};
const servers: Readonly<Record<string, ServerName>> = {
  ollama: 'ollama',
  ollama_chat: 'ollama',
  hosted_vllm: 'vllm',
  vllm: 'vllm',
  lm_studio: 'lm-studio',
  litellm_proxy: 'litellm',
  llamafile: 'openai-compatible',
  openai_like: 'openai-compatible',
  custom_openai: 'openai-compatible',
  docker_model_runner: 'openai-compatible',
  xinference: 'openai-compatible',
};
/** Whose a name without a slash is. https://docs.litellm.ai/docs/providers */
const makers: readonly (readonly [RegExp, string])[] = [
  [/^(?:gpt-|chatgpt-|o\d|text-embedding-)/, 'openai'],
  [/^claude-/, 'anthropic'],
  [/^gemini-/, 'vertex'],
];
/**
 * What LiteLLM puts before a model's name to say by which interface it is asked, which is chosen here by
 * the model and the request.
 * https://docs.litellm.ai/docs/providers/openai/responses_api https://docs.litellm.ai/docs/providers/azure
 * https://docs.litellm.ai/docs/providers/bedrock
 */
const ways: Readonly<Record<string, RegExp>> = {
  openai: /^responses\//,
  azure: /^(?:responses|o_series|gpt5_series)\//,
  bedrock: /^(?:converse|converse_like|invoke|chat_completions|nova|nova-2)\//,
};
/** Interfaces of Bedrock that are not asked here: agents, imported models, hosts of their own. */
const otherBedrock = /^(?:agent|agentcore|async_invoke|claude_platform|mantle|openai)\//;
/** `bedrock/eu-west-1/<model>`. */
const regionBefore = /^([a-z]{2}(?:-[a-z]+)+-\d)\/(.*)$/;
/** OpenAI's own models at Bedrock, which are not behind Converse as its open ones are. */
const openaiAtBedrock = /^(?:[a-z]+\.)?openai\.gpt-\d/;

/**
 * What LiteLLM itself takes for the newest model of a family, since 1.109, by what stands before the slash.
 * Names of Gemini and Mistral are their own.
 * https://docs.litellm.ai/docs/model_latest_aliases
 */
const newest: Readonly<Record<string, RegExp>> = {
  openai: /^gpt-(?:luna|sol|terra|astra|mini)-latest$/,
  anthropic: /^claude-(?:opus|sonnet|haiku|fable)-latest$/,
  xai: /^grok-latest$/,
  moonshot: /^kimi-latest$/,
  zai: /^glm-(?:flash-)?latest$/,
  deepseek: /^deepseek-(?:pro|flash)-latest$/,
  dashscope: /^qwen-(?:max|flash)-latest$/,
  minimax: /^minimax-latest$/,
};
/** Models that choose among others by what a request says. https://docs.litellm.ai/docs/proxy/auto_routing */
const router = /^auto_router\//;

/** What is to be done for a name that leads nowhere here, or not where it leads there. Null: nothing. */
export function byHand(name: string, custom: string | undefined): string | null {
  if (router.test(name))
    return 'nothing of a request chooses a model here: callers name the one that they mean, with others as its fallbacks';
  const [prefix, model] = split(name, custom);
  if (prefix !== null && own(newest, prefix)?.test(model))
    return 'LiteLLM asks the newest model of this family; its provider may know no such name, or mean another one by it: write that model as upstreamModel';
  return model === '' ? `${name} names no model: add it by hand` : null;
}

/**
 * The name by which LiteLLM's price document has a model of a built-in provider, whatever the file calls it;
 * null: none is known.
 */
export function priceName({ model, ...where }: Route): string | null {
  if (!('provider' in where)) return null;
  const prefix = Object.keys(providers).find((one) => providers[one] === where.provider);
  return prefix === undefined ? null : `${prefix}/${model}`;
}

/**
 * Where `litellm_params.model` leads; null: to nothing that Tollgate knows. `custom` is
 * `custom_llm_provider`; with `apiBase`, OpenAI's format means a server of one's own, or the built-in
 * provider that `providerAt` knows to be there.
 */
export function routeOf(
  name: string,
  custom: string | undefined,
  apiBase: string | undefined,
  providerAt: (address: string) => string | null,
): Route | null {
  const [prefix, model] = split(name, custom);
  if (model === '') return null;
  const maker = prefix === null ? makers.find(([pattern]) => pattern.test(model))?.[1] : undefined;
  const provider = prefix === null ? maker : own(providers, prefix);
  const preset = prefix === null ? undefined : own(servers, prefix);
  if (preset) return { preset, model };
  if (!provider) return null;
  const bare = model.replace(ways[provider] ?? '', '');
  if (provider === 'openai' && apiBase !== undefined && !isOpenai(apiBase)) {
    const known = providerAt(apiBase);
    return known === null ? { preset: 'openai-compatible', model: bare } : { provider: known, model: bare };
  }
  if (provider === 'bedrock') return bedrockRoute(bare);
  if (provider === 'vertex' && model.startsWith('claude')) return { provider: 'vertex-anthropic', model };
  return { provider, model: bare };
}

function bedrockRoute(name: string): Route | null {
  if (otherBedrock.test(name)) return null;
  const [, region, model = name] = regionBefore.exec(name) ?? [];
  const provider = openaiAtBedrock.test(model) ? 'bedrock-openai' : 'bedrock';
  return { provider, model, ...(region !== undefined && { region }) };
}

function split(name: string, custom: string | undefined): [prefix: string | null, model: string] {
  const [first = '', ...rest] = name.split('/');
  if (custom !== undefined) return [custom, first === custom ? rest.join('/') : name];
  return rest.length > 0 ? [first, rest.join('/')] : [null, name];
}

function isOpenai(apiBase: string): boolean {
  return /^https:\/\/api\.openai\.com\b/.test(apiBase);
}

function own<Value>(record: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}
