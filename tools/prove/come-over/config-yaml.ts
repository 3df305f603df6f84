/** What models of LiteLLM lead to, as `litellm_params.model` names them. */
const places = [
  ...['openai/gpt-4.1', 'openai/gpt-4.1-mini', 'gpt-4.1-nano', 'openai/gpt-5.4-mini', 'openai/gpt-5'],
  ...['anthropic/claude-sonnet-4-5', 'claude-haiku-4-5', 'anthropic/claude-opus-4-5', 'gemini/gemini-2.5-flash'],
  ...['gemini/gemini-2.5-pro', 'mistral/mistral-large-latest', 'mistral/mistral-small-latest', 'xai/grok-4'],
  ...[
    'deepseek/deepseek-chat',
    'groq/llama-3.3-70b-versatile',
    'openrouter/qwen/qwen3-32b',
    'cohere/command-a-03-2025',
  ],
  ...['bedrock/converse/anthropic.claude-sonnet-4-5-20250929-v1:0', 'hosted_vllm/llama', 'lm_studio/gemma3'],
];
/** Names as operators give them: the model's, with a region, a team, a version. */
const forms = [
  (name: string, round: number) => (round === 0 ? name : `${name}-${round}`),
  (name: string, round: number) => `eu/${name}@${round}`,
  (name: string, round: number) => `team.${round}:${name}`,
];

interface ListedModel {
  model_name: string;
  litellm_params: { model: string } & Record<string, string | number>;
}

/**
 * So many models, every one of another name; one of five has two places. `ownServer`: where own servers
 * answer.
 */
export function litellmModels(count: number, ownServer: string): { names: string[]; list: ListedModel[] } {
  const list = Array.from({ length: count }, (_, index) => {
    const model = places[index % places.length] ?? '';
    const round = Math.floor(index / places.length);
    const bare = model.slice(model.lastIndexOf('/') + 1).replace(/:0$/, '');
    const model_name = (forms[round % forms.length] ?? String)(bare, round);
    return { model_name, litellm_params: paramsOf(model, ownServer) };
  });
  const second = list.filter((_, index) => index % 5 === 0);
  return { names: list.map(({ model_name: name }) => name), list: [...list, ...second] };
}

/**
 * Models that Tollgate's catalog does not price have a price in the file, as LiteLLM's documentation says for
 * own models. Without one a key with a budget may not ask them, which the import tells.
 * https://docs.litellm.ai/docs/proxy/custom_pricing
 */
const priced = { input_cost_per_token: 0.000_000_4, output_cost_per_token: 0.000_001_2 };

function paramsOf(model: string, ownServer: string): ListedModel['litellm_params'] {
  const own = /^(hosted_vllm|lm_studio)\//.test(model);
  return {
    model,
    ...(own && { api_base: ownServer }),
    // Its messages are asked at the usual place of Mistral unless an address stands here.
    ...(model.startsWith('mistral/') && { api_base: 'os.environ/MISTRAL_API_BASE' }),
    ...(model.startsWith('bedrock/') && { aws_region_name: 'us-east-1' }),
    ...(!own && !model.startsWith('bedrock/') && { api_key: 'os.environ/OPENAI_API_KEY' }),
    ...((own || /-latest$|deepseek|qwen|grok|bedrock/.test(model)) && priced),
  };
}

/** The file; JSON is YAML, too. */
export function configYaml(list: readonly ListedModel[]): string {
  const general = { master_key: 'os.environ/LITELLM_MASTER_KEY', database_url: 'os.environ/DATABASE_URL' };
  return JSON.stringify({ model_list: list, general_settings: general }, null, 2);
}
