/** https://platform.openai.com/docs/api-reference/chat/create */
const openaiFields = [
  'model',
  'messages',
  'audio',
  'frequency_penalty',
  'function_call',
  'functions',
  'logit_bias',
  'logprobs',
  'max_completion_tokens',
  'max_tokens',
  'metadata',
  'modalities',
  'moderation',
  'n',
  'parallel_tool_calls',
  'prediction',
  'presence_penalty',
  'prompt_cache_key',
  'prompt_cache_retention',
  // https://developers.openai.com/api/docs/guides/prompt-caching
  'prompt_cache_options',
  'reasoning_effort',
  'response_format',
  'safety_identifier',
  'seed',
  'service_tier',
  'stop',
  'store',
  'stream',
  'stream_options',
  'temperature',
  'tool_choice',
  'tools',
  'top_logprobs',
  'top_p',
  'user',
  'verbosity',
  'web_search_options',
];

/** What providers of the same dialect take besides: this dialect stands for all of them. */
const compatibleFields = [
  // https://api-docs.deepseek.com/api/create-chat-completion
  // https://docs.z.ai/api-reference/llm/chat-completion
  'thinking',
  'do_sample',
  'tool_stream',
  'request_id',
  'user_id',
  // https://docs.mistral.ai/api/#tag/chat
  'random_seed',
  'safe_prompt',
  'prompt_mode',
  // https://openrouter.ai/docs/api-reference/parameters
  'reasoning',
  'include_reasoning',
  'provider',
  'models',
  'route',
  'transforms',
  'plugins',
  'usage',
  'top_a',
  // https://www.alibabacloud.com/help/en/model-studio/use-qwen-by-calling-api
  'enable_thinking',
  'thinking_budget',
  'enable_search',
  'search_options',
  // https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html
  // https://docs.together.ai/reference/chat-completions-1
  'top_k',
  'min_p',
  'repetition_penalty',
  'chat_template_kwargs',
  'guided_json',
  'ignore_eos',
  'min_tokens',
  'stop_token_ids',
  'skip_special_tokens',
  // https://console.groq.com/docs/api-reference#chat-create
  'reasoning_format',
  'documents',
  'citation_options',
  'search_settings',
  // https://docs.x.ai/docs/api-reference#chat-completions
  'search_parameters',
  'deferred',
  // https://docs.perplexity.ai/api-reference/chat-completions-post
  'search_mode',
  'search_domain_filter',
  'search_recency_filter',
  'return_images',
  'return_related_questions',
  // https://docs.fireworks.ai/api-reference/post-chatcompletions
  'context_length_exceeded_behavior',
  'prompt_truncate_len',
  'mirostat_lr',
  'mirostat_target',
];

/** What a chat completion request may hold. */
export const knownFields: readonly string[] = [...openaiFields, ...compatibleFields];
