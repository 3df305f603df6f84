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
