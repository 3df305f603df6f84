import type { ServerName } from '@tollgate/contracts';

/**
 * Where a deployment of LiteLLM leads: a built-in provider, or a server of one's own, and the model's name
 * there.
 */
export type Route = { model: string } & ({ provider: string } | { preset: ServerName });

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
 * What LiteLLM puts between `bedrock/` and the model: which interface is asked. Here it is always Converse.
 */
const bedrockWays = /^(?:converse|invoke|converse_like)\//;

/**
 * Where `litellm_params.model` leads; null: to nothing that Tollgate knows. `custom` is
 * `custom_llm_provider`; with `apiBase`, OpenAI's format means a server of one's own.
 */
export function routeOf(name: string, custom: string | undefined, apiBase: string | undefined): Route | null {
  const [prefix, model] = split(name, custom);
  const maker = prefix === null ? makers.find(([pattern]) => pattern.test(model))?.[1] : undefined;
  const provider = prefix === null ? maker : own(providers, prefix);
  const preset = prefix === null ? undefined : own(servers, prefix);
  if (preset) return { preset, model };
  if (!provider) return null;
  if (provider === 'openai' && apiBase !== undefined && !isOpenai(apiBase))
    return { preset: 'openai-compatible', model };
  if (provider === 'bedrock') return { provider, model: model.replace(bedrockWays, '') };
  if (provider === 'vertex' && model.startsWith('claude')) return { provider: 'vertex-anthropic', model };
  return { provider, model };
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
