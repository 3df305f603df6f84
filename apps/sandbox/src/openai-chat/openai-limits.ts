import {
  demandFew,
  demandOneOf,
  demandShort,
  demandSome,
  demandText,
  flagIn,
  memberOf,
  optionalObjects,
  textIn,
} from '../request/read-values';
import { isRecord } from '../request/record';
import { demand } from '../request/refusal';
import { checkRange } from './read-tools';

type Json = Record<string, unknown>;

/** https://github.com/musistudio/claude-code-router/issues/686 */
const mostTools = 128;
/** https://github.com/vercel/ai/issues/5171 */
const longestCallId = 40;
const longestName = 64;

/** Models that OpenAI serves, whoever sells them; its open ones are served by others. */
export function isOpenAis(model: string): boolean {
  return /^(?:openai\/)?(?:gpt-(?!oss)|chatgpt-|o[1-9])/.test(model);
}

/**
 * How retained prompts are asked for; the older of the two names of memory has a dash.
 * https://platform.openai.com/docs/guides/prompt-caching#extended-prompt-cache-retention
 */
export function checkPromptCache(body: Json): void {
  demandOneOf(body.prompt_cache_retention, 'prompt_cache_retention', ['in_memory', 'in-memory', '24h']);
  const { mode } = memberOf(body, 'prompt_cache_options');
  demandOneOf(mode, 'prompt_cache_options.mode', ['implicit', 'explicit']);
}

/**
 * The bounds of OpenAI's own description of its API, which other makers' copies of this dialect do not share.
 * https://github.com/openai/openai-openapi (openapi.json, CreateChatCompletionRequest) @throws Refusal
 */
export function checkOpenAi(body: Json): void {
  demandOneOf(body.verbosity, 'verbosity', ['low', 'medium', 'high']);
  const { search_context_size: size } = memberOf(body, 'web_search_options');
  demandOneOf(size, 'web_search_options.search_context_size', ['low', 'medium', 'high']);
  for (const kind of Array.isArray(body.modalities) ? body.modalities : [])
    demandOneOf(kind, 'modalities', ['text', 'audio']);
  checkPromptCache(body);
  flagIn(body.store, 'store');
  checkBias(body.logit_bias);
  demand(
    body.seed === undefined || body.seed === null || Number.isInteger(body.seed),
    wrongType('seed', 'an integer'),
    {
      param: 'seed',
      code: 'invalid_type',
    },
  );
  if (Array.isArray(body.stop)) demandSome(body.stop, 'stop');
  demandFew(optionalObjects(body.tools, 'tools'), 'tools', mostTools);
  if (typeof body.tool_choice === 'string') demandOneOf(body.tool_choice, 'tool_choice', ['none', 'auto', 'required']);
  for (const [index, message] of optionalObjects(body.messages, 'messages').entries())
    checkMessage(message, `messages[${index}]`);
}

function wrongType(param: string, expected: string): string {
  return `Invalid type for '${param}': expected ${expected}.`;
}

/** https://platform.openai.com/docs/api-reference/chat/create#chat_create-logit_bias */
function checkBias(biases: unknown): void {
  if (biases === undefined || biases === null) return;
  const param = 'logit_bias';
  demand(isRecord(biases), wrongType(param, 'an object'), { param, code: 'invalid_type' });
  for (const [token, bias] of Object.entries(biases)) checkRange(bias, `logit_bias.${token}`, -100, 100);
}

function checkMessage(message: Json, where: string): void {
  const { name, content, tool_calls: calls, tool_call_id: answered } = message;
  demandShort(name, `${where}.name`, longestName);
  // https://github.com/FlowiseAI/Flowise/issues/2948
  const pattern = '^[a-zA-Z0-9_-]+$';
  demand(
    typeof name !== 'string' || new RegExp(pattern).test(name),
    `Invalid '${where}.name': string does not match pattern. Expected a string that matches the pattern '${pattern}'.`,
    { param: `${where}.name`, code: 'invalid_value' },
  );
  demandShort(answered, `${where}.tool_call_id`, longestCallId);
  if (Array.isArray(content)) {
    demandSome(content, `${where}.content`);
    for (const [at, part] of optionalObjects(content, `${where}.content`).entries())
      checkPart(part, `${where}.content[${at}]`);
  }
  for (const [at, call] of optionalObjects(calls, `${where}.tool_calls`).entries())
    checkCall(call, `${where}.tool_calls[${at}]`);
}

function checkPart(part: Json, where: string): void {
  switch (part.type) {
    case 'text':
      return demandText(part.text, `${where}.text`);
    case 'image_url': {
      demand(isRecord(part.image_url), wrongType(`${where}.image_url`, 'an object'), {
        param: `${where}.image_url`,
        code: 'invalid_type',
      });
      demandText(part.image_url.url, `${where}.image_url.url`);
      return demandOneOf(part.image_url.detail, `${where}.image_url.detail`, ['auto', 'low', 'high']);
    }
    case 'input_audio': {
      const { data, format } = memberOf(part, 'input_audio');
      demandText(data, `${where}.input_audio.data`);
      demandText(format, `${where}.input_audio.format`);
      return demandOneOf(format, `${where}.input_audio.format`, ['wav', 'mp3']);
    }
  }
}

function checkCall(call: Json, where: string): void {
  demandShort(call.id, `${where}.id`, longestCallId);
  demandText(call.type, `${where}.type`);
  demandOneOf(call.type, `${where}.type`, ['function', 'custom']);
  const type = textIn(call.type);
  const { name, arguments: text, input } = memberOf(call, type);
  demandText(name, `${where}.${type}.name`);
  if (type === 'function') demandText(text, `${where}.function.arguments`);
  else demandText(input, `${where}.custom.input`);
}

/**
 * Which models OpenAI's own client names for responses and not for chat completions.
 * https://github.com/openai/openai-node/blob/master/src/resources/shared.ts
 */
const onlyInResponses =
  /^(?:(?:gpt-5(?:\.\d+)?|o[1-9](?:-mini)?)-(?:pro|codex|deep-research)|codex-mini|computer-use-preview)/;

/**
 * Refuses a model that chat completions do not have, in the words of
 * https://github.com/continuedev/continue/issues/8326 https://github.com/aaif-goose/goose/issues/2564
 * @throws Refusal
 */
export function demandInChat(model: string): void {
  demand(!onlyInResponses.test(model), 'This model is only supported in v1/responses and not in v1/chat/completions.', {
    param: 'model',
    status: 404,
  });
}

/** What OpenAI's models that reason refuse. @throws Refusal */
export function checkReasoningModel(body: Json, model: string): void {
  // https://community.openai.com/t/why-was-max-tokens-changed-to-max-completion-tokens/938077
  demand(
    body.max_tokens === undefined || body.max_tokens === null,
    "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
    { param: 'max_tokens', code: 'unsupported_parameter' },
  );
  // https://github.com/huggingface/smolagents/pull/1868 https://github.com/BerriAI/litellm/pull/28650
  demand(
    !/^(?:gpt-5(?:\.[0-4])?(?![.\d])|o[1-9])/.test(model) || (body.stop ?? null) === null,
    "Unsupported parameter: 'stop' is not supported with this model.",
    { param: 'stop', code: 'unsupported_parameter' },
  );
  const effort = body.reasoning_effort ?? null;
  checkEffort(model, effort, 'reasoning_effort', 'chat');
  checkSampling(body, model, effort);
  const isRefused =
    (/^gpt-(?:5\.[5-9]|[6-9])/.test(model) && effort !== 'none') ||
    (/^gpt-5\.4/.test(model) && effort !== null && effort !== 'none');
  // In words that changed with GPT-5.6: https://github.com/openai/openai-openapi/issues/541
  // https://github.com/BerriAI/litellm/pull/34569
  const way = /^gpt-5\.[45]/.test(model)
    ? 'Please use /v1/responses instead.'
    : "To use function tools, use /v1/responses or set reasoning_effort to 'none'.";
  demand(
    !isRefused || optionalObjects(body.tools, 'tools').length === 0,
    `Function tools with reasoning_effort are not supported for ${model} in /v1/chat/completions. ${way}`,
    { param: 'reasoning_effort' },
  );
}

const always = ['low', 'medium', 'high', 'xhigh', 'max'];

/**
 * The efforts that OpenAI's models take, where that is known. `max` is none of chat completions.
 * https://developers.openai.com/api/docs/models/gpt-6.2-sol
 * https://developers.openai.com/api/docs/models/gpt-6-luna
 * https://docs.apiyi.com/en/news/gpt-6-1-sol-launch.md https://github.com/BerriAI/litellm-docs/pull/1173
 */
const effortsOf: readonly [models: RegExp, efforts: readonly string[]][] = [
  [/^gpt-6(?:-astra|\.1-sol|\.2)/, always],
  [/^gpt-(?:5\.6|6)/, ['none', ...always]],
  [/^gpt-5\.[2-5](?!.*(?:-chat|-pro|-codex))/, ['none', 'low', 'medium', 'high', 'xhigh']],
  [/^gpt-5\.1(?!.*(?:-chat|-codex))/, ['none', 'low', 'medium', 'high']],
  [/^gpt-5(?:-mini|-nano)?$/, ['minimal', 'low', 'medium', 'high']],
  [/^o[134](?:-mini)?$/, ['low', 'medium', 'high']],
];

/** @throws Refusal in the words of https://github.com/anomalyco/opencode/issues/4451 */
export function checkEffort(model: string, effort: unknown, param: string, dialect: 'chat' | 'responses'): void {
  const known = effortsOf.find(([models]) => models.test(model))?.[1];
  const taken = dialect === 'chat' ? known?.filter((each) => each !== 'max') : known;
  demand(
    effort === null || effort === undefined || taken === undefined || taken.includes(textIn(effort)),
    `Unsupported value: '${textIn(effort)}' is not supported with the '${model}' model. Supported values are: ${taken?.map((each) => `'${each}'`).join(', ')}.`,
    { param, code: 'unsupported_value' },
  );
}

/**
 * GPT-6 is sampled only where it does not reason, and GPT-5.1 to 5.4, which do not unless they are asked to.
 * https://developers.openai.com/api/docs/guides/deployment-checklist
 * https://github.com/BerriAI/litellm-docs/pull/1064 https://github.com/langchain-ai/langchain/issues/35423
 * @throws Refusal
 */
export function checkSampling(body: Json, model: string, effort: unknown): void {
  const restsUnasked = /^gpt-5\.[1-4](?!.*-(?:chat|codex|pro))/.test(model);
  const isAsked = effort !== undefined && effort !== null;
  if (effort === 'none' || !(restsUnasked ? isAsked : /^gpt-6/.test(model))) return;
  for (const param of ['temperature', 'top_p', 'top_logprobs', 'logprobs'])
    demand(
      (body[param] ?? null) === null || body[param] === false,
      `Unsupported parameter: '${param}' is not supported with this model.`,
      { param, code: 'unsupported_parameter' },
    );
}
