import type { DialectName } from '@tollgate/contracts';
import type { ProviderDefinition, ServerName } from '@tollgate/contracts/catalog';

/**
 * What is known of a server that people run themselves. `baseUrl`: where it listens unless told otherwise.
 */
export interface ServerPreset {
  readonly name: string;
  readonly baseUrl: string;
  /** Formats that its own endpoints speak as well as our translation does; all others are translated. */
  readonly alsoSpeaks: readonly DialectName[];
  /** True: it has `/tokenize` and `/detokenize` beside `/v1`. Absent: not both. */
  readonly tokenizes?: true;
  /** What it tells at `/metrics` of the requests that it has under way and waiting. */
  readonly loadMetrics?: readonly string[];
  /** True: it lists its places at `/slots`, for one that is started without those metrics. */
  readonly loadSlots?: true;
  readonly quirks: Partial<ProviderDefinition['quirks']>;
  readonly documentation: string;
}

/**
 * The older name of the output limit. Where it is known from that a server reads that one stands above each.
 */
const olderLimit = { maxTokensField: 'max_tokens' } as const;

/**
 * The servers that `preset` of a provider in tollgate.yaml names. All of them speak chat completions below
 * `/v1`.
 */
export const serverPresets: Readonly<Record<ServerName, ServerPreset>> = {
  'llama-cpp': {
    name: 'llama.cpp',
    baseUrl: 'http://127.0.0.1:8080/v1',
    // Its responses know neither stored answers nor OpenAI's own tools, which a translation answers for.
    alsoSpeaks: ['anthropic-messages'],
    tokenizes: true,
    // With --metrics, which is off by default; /slots is on:
    // https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md#get-slots-returns-the-current-slots-processing-state
    loadMetrics: ['llamacpp:requests_processing', 'llamacpp:requests_deferred'],
    loadSlots: true,
    // Its example of an answer of bounded length says max_tokens:
    // https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md
    quirks: olderLimit,
    documentation: 'https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md',
  },
  ollama: {
    name: 'Ollama',
    baseUrl: 'http://127.0.0.1:11434/v1',
    // Asked of 0.17.4: its messages say end_turn of a stop sequence, and its responses are not kept.
    alsoSpeaks: [],
    // The fields that it reads are listed, max_completion_tokens is none of them.
    // https://docs.ollama.com/api/openai-compatibility
    quirks: olderLimit,
    documentation: 'https://docs.ollama.com/api/openai-compatibility',
  },
  vllm: {
    name: 'vLLM',
    baseUrl: 'http://127.0.0.1:8000/v1',
    // Asked of 0.32.0: its messages refuse documents, which a translation takes, and its responses are not
    // kept.
    alsoSpeaks: [],
    // https://github.com/vllm-project/vllm/blob/main/vllm/entrypoints/serve/tokenize/api_router.py
    tokenizes: true,
    // https://docs.vllm.ai/en/latest/usage/metrics/
    loadMetrics: ['vllm:num_requests_running', 'vllm:num_requests_waiting'],
    quirks: {},
    documentation: 'https://docs.vllm.ai/en/latest/serving/online_serving/',
  },
  sglang: {
    name: 'SGLang',
    baseUrl: 'http://127.0.0.1:30000/v1',
    alsoSpeaks: [],
    // https://github.com/sgl-project/sglang/pull/9545
    tokenizes: true,
    // With --enable-metrics: https://docs.sglang.io/references/production_metrics.html
    loadMetrics: ['sglang:num_running_reqs', 'sglang:num_queue_reqs'],
    quirks: {},
    documentation: 'https://docs.sglang.io/docs/basic_usage/native_api',
  },
  'lm-studio': {
    name: 'LM Studio',
    baseUrl: 'http://127.0.0.1:1234/v1',
    alsoSpeaks: [],
    // Its page lists the fields that it reads, with max_tokens:
    // https://lmstudio.ai/docs/developer/openai-compat/chat-completions
    quirks: olderLimit,
    documentation: 'https://lmstudio.ai/docs/developer/openai-compat',
  },
  tgi: {
    name: 'Text Generation Inference',
    baseUrl: 'http://127.0.0.1:3000/v1',
    alsoSpeaks: [],
    // https://huggingface.co/docs/text-generation-inference/reference/metrics
    loadMetrics: ['tgi_batch_current_size', 'tgi_queue_size'],
    // Its requests have max_tokens alone:
    // https://github.com/huggingface/text-generation-inference/blob/main/router/src/lib.rs
    quirks: olderLimit,
    documentation: 'https://huggingface.co/docs/text-generation-inference/messages_api',
  },
  localai: {
    name: 'LocalAI',
    baseUrl: 'http://127.0.0.1:8080/v1',
    alsoSpeaks: [],
    // Its requests have max_tokens alone:
    // https://github.com/mudler/LocalAI/blob/master/core/schema/prediction.go
    quirks: olderLimit,
    documentation: 'https://localai.io/features/text-generation/',
  },
  transformers: {
    name: 'transformers serve',
    baseUrl: 'http://127.0.0.1:8000/v1',
    alsoSpeaks: [],
    // It ignores max_completion_tokens:
    // https://github.com/huggingface/transformers/blob/main/src/transformers/cli/serving/chat_completion.py
    quirks: olderLimit,
    documentation: 'https://huggingface.co/docs/transformers/main/en/serving',
  },
  litellm: {
    name: 'LiteLLM',
    baseUrl: 'http://127.0.0.1:4000/v1',
    alsoSpeaks: [],
    quirks: {},
    documentation: 'https://docs.litellm.ai/docs/proxy/user_keys',
  },
  'openai-compatible': {
    name: 'OpenAI-compatible server',
    baseUrl: 'http://127.0.0.1:8000/v1',
    alsoSpeaks: [],
    quirks: {},
    documentation: 'https://platform.openai.com/docs/api-reference/chat/create',
  },
};
