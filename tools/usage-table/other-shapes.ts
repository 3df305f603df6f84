import type { Shape } from './shape';
import { inputOf, outputOf } from './truth';
import type { Truth } from './truth';

/** https://platform.openai.com/docs/api-reference/responses/object */
const responses = (truth: Truth) => ({
  input_tokens: inputOf(truth),
  input_tokens_details: { cached_tokens: truth.cached },
  output_tokens: outputOf(truth),
  output_tokens_details: { reasoning_tokens: truth.reasoning },
  total_tokens: inputOf(truth) + outputOf(truth),
});

/**
 * https://platform.claude.com/docs/en/build-with-claude/prompt-caching#tracking-cache-performance:
 * input_tokens are only what no cache was concerned with.
 */
const messages = (truth: Truth) => ({
  input_tokens: truth.fresh,
  cache_creation_input_tokens: truth.write5m + truth.write1h,
  cache_read_input_tokens: truth.cached,
  cache_creation: { ephemeral_5m_input_tokens: truth.write5m, ephemeral_1h_input_tokens: truth.write1h },
  output_tokens: outputOf(truth),
  service_tier: 'standard',
});

/**
 * https://ai.google.dev/api/generate-content#UsageMetadata: the prompt holds what was cached, the candidates
 * do not hold thoughts.
 */
const gemini = (truth: Truth) => ({
  promptTokenCount: inputOf(truth),
  ...(truth.cached > 0 ? { cachedContentTokenCount: truth.cached } : {}),
  candidatesTokenCount: truth.text,
  ...(truth.reasoning > 0 ? { thoughtsTokenCount: truth.reasoning } : {}),
  totalTokenCount: inputOf(truth) + outputOf(truth),
  promptTokensDetails: [
    { modality: 'TEXT', tokenCount: inputOf(truth) - truth.audioIn },
    ...(truth.audioIn > 0 ? [{ modality: 'AUDIO', tokenCount: truth.audioIn }] : []),
  ],
});

/** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_TokenUsage.html */
const converse = (truth: Truth) => ({
  inputTokens: truth.fresh,
  outputTokens: outputOf(truth),
  totalTokens: inputOf(truth) + outputOf(truth),
  cacheReadInputTokens: truth.cached,
  cacheWriteInputTokens: truth.write5m + truth.write1h,
  ...(truth.write1h > 0 ? { cacheDetails: [{ ttl: '1h', inputTokens: truth.write1h }] } : {}),
});

/** Usage of every dialect but chat completions, as each provider tells it. */
export const otherShapes: readonly Shape[] = [
  {
    provider: 'openai',
    dialect: 'openai-responses',
    sheets: ['gpt-long'],
    told: ['cached', 'reasoning'],
    usage: responses,
  },
  { provider: 'xai', dialect: 'openai-responses', sheets: ['grok'], told: ['cached', 'reasoning'], usage: responses },
  {
    provider: 'anthropic',
    dialect: 'anthropic-messages',
    sheets: ['claude', 'tiny'],
    told: ['cached', 'write5m', 'write1h'],
    usage: messages,
  },
  {
    // Before the breakdown by lifetime, every write was of 5 minutes.
    provider: 'anthropic-older',
    dialect: 'anthropic-messages',
    sheets: ['claude'],
    told: ['cached', 'write5m'],
    usage: (truth) => ({
      input_tokens: truth.fresh,
      cache_creation_input_tokens: truth.write5m,
      cache_read_input_tokens: truth.cached,
      output_tokens: outputOf(truth),
    }),
  },
  {
    provider: 'vertex-anthropic',
    dialect: 'anthropic-messages',
    sheets: ['claude'],
    told: ['cached', 'write5m', 'write1h'],
    usage: messages,
  },
  {
    provider: 'google',
    dialect: 'gemini',
    sheets: ['gemini-flash', 'gemini-pro'],
    told: ['cached', 'audioIn', 'reasoning'],
    usage: gemini,
  },
  {
    // https://cloud.google.com/vertex-ai/generative-ai/docs/reference/rest/v1/GenerateContentResponse#UsageMetadata
    provider: 'vertex',
    dialect: 'gemini',
    sheets: ['gemini-pro'],
    told: ['cached', 'reasoning'],
    usage: (truth) => ({ ...gemini(truth), trafficType: 'ON_DEMAND' }),
  },
  {
    provider: 'bedrock',
    dialect: 'bedrock-converse',
    upstreamModel: 'global.anthropic.claude-opus-4-8',
    sheets: ['claude'],
    told: ['cached', 'write5m', 'write1h'],
    usage: converse,
  },
  {
    // The one family whose inputTokens hold what was cached: https://github.com/anomalyco/opencode/pull/47354
    provider: 'bedrock-openai',
    dialect: 'bedrock-converse',
    upstreamModel: 'openai.gpt-oss-120b-1:0',
    sheets: ['kimi'],
    told: ['cached'],
    usage: (truth) => ({ ...converse(truth), inputTokens: inputOf(truth) }),
  },
  {
    // https://docs.cohere.com/reference/chat: only billed units are charged.
    provider: 'cohere',
    dialect: 'cohere',
    sheets: ['command', 'tiny'],
    told: [],
    usage: (truth) => ({
      billed_units: { input_tokens: inputOf(truth), output_tokens: outputOf(truth) },
      tokens: { input_tokens: inputOf(truth) + 496, output_tokens: outputOf(truth) + 4 },
    }),
  },
];
