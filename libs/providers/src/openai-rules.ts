import type { ProviderInput } from './provider-input';

type Rules = NonNullable<NonNullable<ProviderInput['quirks']>['toolsElsewhere']>;

/**
 * Before the name of a model at Bedrock stand its maker and, of a profile, its geography.
 * https://developers.openai.com/api/docs/guides/amazon-bedrock
 */
const before = '^(?:(?:[a-z]+\\.)?openai\\.)?';

/**
 * What OpenRouter and others call reasoning, and how they are asked for usage: parameters that OpenAI does
 * not know, and refuses in chat completions. https://platform.openai.com/docs/api-reference/chat/create
 * https://github.com/dongri/openai-api-rs/issues/198 https://github.com/abue-ammar/tinycast/issues/973
 */
export const unknownToOpenai = ['thinking', 'reasoning', 'include_reasoning', 'usage'];

/** Which of them know tools of free text. */
export const customToolsOfOpenai = `${before}gpt-[5-9]`;

/**
 * Which of them take no stop sequences, which Claude Code sends by itself: those that reason, before GPT-5.5.
 * https://github.com/huggingface/smolagents/pull/1868 https://github.com/BerriAI/litellm/pull/28650
 */
export const refusesStopAtOpenai = `${before}(?:gpt-5(?:\\.[0-4])?(?![.\\d])|o[1-9])(?!.*-chat)`;

/**
 * Which of them responses alone have: chat completions answer with a 404, `This model is only supported in
 * v1/responses and not in v1/chat/completions.`
 * https://github.com/openai/openai-node/blob/master/src/resources/shared.ts (`ResponsesModel`)
 * https://github.com/continuedev/continue/issues/8326 https://github.com/langchain-ai/langchain/pull/34306
 * https://github.com/aaif-goose/goose/issues/2564 https://github.com/HeyPuter/puter/issues/2110
 */
const onlyInResponses =
  `${before}(?:(?:gpt-5(?:\\.\\d+)?|o[1-9](?:-mini)?)-(?:pro|codex|deep-research)(?![a-z])` +
  '|codex-mini(?![a-z])|computer-use-preview)';

/**
 * Which of OpenAI's models are asked in its newer dialect where tools are offered, or always: at OpenAI, and
 * at Azure and Bedrock, which serve them alike.
 */
export const responsesForTools: Rules = [
  { dialect: 'openai-responses', models: onlyInResponses, always: true },
  // Chat completions take no effort `max`, https://github.com/BerriAI/litellm-docs/pull/1173
  // and some models no call of a tool there at all:
  // https://developers.openai.com/api/docs/guides/deployment-checklist
  { dialect: 'openai-responses', models: `${before}gpt-(?:5\\.6|6)(?!.*-chat)`, efforts: ['max'] },
  { dialect: 'openai-responses', models: `${before}gpt-(?:5\\.[5-9]|[6-9])(?!.*-chat)` },
  { dialect: 'openai-responses', models: `${before}gpt-5\\.4(?!.*-chat)`, unasked: false },
  { dialect: 'openai-responses', models: `${before}(?:gpt-5|o[1-9])(?!.*-chat)`, callers: 'translated' },
];
