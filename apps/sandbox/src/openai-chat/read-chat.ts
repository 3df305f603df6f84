import { openaiChatSurface } from '@tollgate/dialects/surface';
import { cachedParts } from '../anthropic-messages/cached-parts';
import { sellerOf } from '../bills/price-sheet';
import { unasked, webPage, type NeutralRequest, type Source } from '../request/neutral-request';
import {
  checkCallerNames,
  demandKnown,
  demandOneOf,
  flagIn,
  limitIn,
  memberOf,
  objects,
  textIn,
  textsIn,
  tierFor,
} from '../request/read-values';
import { isRecord } from '../request/record';
import { demand } from '../request/refusal';
import type { Addressed } from '../speech/simulated-dialect';
import { lookBack } from '../request/turns';
import { knownFields } from './known-fields';
import { checkMistralLimit } from './mistral-schema';
import { isMistrals } from './mistral-turns';
import { checkModelRules, isAtMistral, thinksAtTogether, thinksByItself } from './model-rules';
import { readChatTurns } from './read-chat-turns';
import { cacheLifetime, tellsCacheWrites } from './prompt-cache-options';
import { readSound } from './read-sound';
import {
  checkChoice,
  checkRange,
  checkSchemas,
  checkToolKinds,
  readChatTool,
  readToolChoice,
  wantsClosed,
} from './read-tools';
import { demandStrict } from '../request/strict-schema';
import { toldSchema } from '../request/told-schema';

/** A chat completion request. */
export interface ChatRequest extends NeutralRequest {
  includeUsage: boolean;
  /** What serves it. */
  tier: string;
  /** The names of its tools of free text. */
  freeText: ReadonlySet<string>;
  /** What its cache keeps was marked for it, as Alibaba takes it; else it is told as OpenAI tells it. */
  marksCache: boolean;
}

/** Reads a chat completion request as strictly as OpenAI. @throws Refusal */
export function readChat(body: Record<string, unknown>, { provider }: Pick<Addressed, 'provider'>): ChatRequest {
  const { model } = body;
  demand(typeof model === 'string' && model !== '', 'you must provide a model parameter', { param: 'model' });
  demandKnown(body, knownFields, (name) => `Unrecognized request argument supplied: ${name}`);
  const messages = readMessages(body.messages);
  const stream = flagIn(body.stream, 'stream') === true;
  const options = memberOf(body, 'stream_options');
  demand(
    stream || !isRecord(body.stream_options),
    "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
    { param: 'stream_options' },
  );
  checkSampling(body);
  checkCallerNames(body);
  checkModelRules(body, model, provider);
  if (model.startsWith('gpt-')) cacheLifetime(body, model, 'chat');
  const sound = readSound(body, messages);
  const offered = body.tools === undefined || body.tools === null ? [] : objects(body.tools, 'tools');
  checkToolKinds(offered, model, provider);
  checkChoice(body.tool_choice, model, provider);
  checkSchemas(offered, model, provider);
  const tools = offered.map(readChatTool);
  const maxTokens = readLimit(body);
  const inputTokens = openaiChatSurface.countInputTokens(body) + sound.audioInputTokens;
  if (isAtMistral(model, provider)) checkMistralLimit(model, inputTokens, maxTokens);
  return {
    ...unasked,
    model,
    stream,
    tier: tierFor(body.service_tier),
    served: [tierFor(body.service_tier)].filter((tier) => tier !== 'default'),
    includeUsage: options.include_usage === true || tellsUsageUnasked(model),
    ...lookBack(readChatTurns(messages)),
    tools,
    freeText: new Set(tools.filter((_, index) => offered[index]?.type === 'custom').map(({ name }) => name)),
    toolChoice: readToolChoice(body, tools),
    takesParallelCalls: flagIn(body.parallel_tool_calls, 'parallel_tool_calls') !== false,
    reasons: isThinking(body) || thinksByItself(model, body) || thinksAtTogether(model, body, provider),
    schema: readFormat(body.response_format, messages, wantsClosed(model, provider)),
    maxTokens,
    stops: typeof body.stop === 'string' ? [body.stop] : textsIn(body.stop, 'stop', 4),
    choices: readChoices(body.n),
    topLogprobs: readLogprobs(body),
    sources: sourcesOf(body),
    fees: readSearchContext(body),
    inputText: JSON.stringify(messages),
    inputTokens,
    ...sound,
    ...readCache(body, messages, provider),
  };
}

/**
 * What OpenAI keeps under a key, or Alibaba and OpenRouter of what was marked, in parts of messages, at five
 * quarters of the input's price, or twice of it for an hour at OpenRouter.
 * https://www.alibabacloud.com/help/en/model-studio/context-cache
 * https://www.openrouter.ai/docs/guides/best-practices/prompt-caching
 */
function readCache(
  body: Record<string, unknown>,
  messages: Record<string, unknown>[],
  provider: string,
): Pick<ChatRequest, 'cached' | 'cachedForHours' | 'writesForNothing' | 'marksCache'> {
  const model = textIn(body.model);
  const isAlibaba = provider === 'alibaba';
  const takesMarks = isAlibaba || (provider === 'openrouter' && /^(?:anthropic|qwen)\//.test(model));
  const { parts, forAnHour } = takesMarks ? cachedParts({}, messages) : { parts: null, forAnHour: 0 };
  const cachedForHours = isAlibaba ? 0 : forAnHour;
  if (parts !== null) return { cached: parts, cachedForHours, writesForNothing: false, marksCache: isAlibaba };
  return {
    cached: typeof body.prompt_cache_key === 'string' ? [body.tools ?? [], ...messages].map(inJson) : null,
    writesForNothing: !tellsCacheWrites(model),
    marksCache: false,
  };
}

function readMessages(value: unknown): Record<string, unknown>[] {
  const missing = { param: 'messages', code: 'missing_required_parameter' };
  demand(value !== undefined, "Missing required parameter: 'messages'.", missing);
  const messages = objects(value, 'messages');
  demand(messages.length > 0, "Invalid 'messages': empty array.", { param: 'messages', code: 'empty_array' });
  return messages;
}

/** Mistral's streams end with usage whether or not it was asked for: https://docs.mistral.ai/api/#tag/chat */
function tellsUsageUnasked(model: string): boolean {
  return isMistrals(model);
}

function checkSampling(body: Record<string, unknown>): void {
  checkRange(body.temperature, 'temperature', 0, 2);
  checkRange(body.top_p, 'top_p', 0, 1);
  checkRange(body.presence_penalty, 'presence_penalty', -2, 2);
  checkRange(body.frequency_penalty, 'frequency_penalty', -2, 2);
}

/** As OpenAI asks for it, and as DeepSeek, Z.ai and Alibaba do. */
function isThinking({
  reasoning_effort: effort,
  thinking,
  enable_thinking: enabled,
  model,
}: Record<string, unknown>): boolean {
  // Groq's Qwen reasons or not: https://console.groq.com/docs/reasoning
  const usual = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'];
  const efforts = /^qwen\//.test(String(model)) ? [...usual, 'default'] : usual;
  demandOneOf(effort, 'reasoning_effort', efforts);
  if (enabled === true || (isRecord(thinking) && thinking.type === 'enabled')) return true;
  return typeof effort === 'string' && effort !== 'none';
}

function readLimit(body: Record<string, unknown>): number | null {
  const older = limitIn(body.max_tokens, 'max_tokens');
  const newer = limitIn(body.max_completion_tokens, 'max_completion_tokens');
  demand(
    older === null || newer === null,
    "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.",
    { param: 'max_tokens' },
  );
  return older ?? newer;
}

function readChoices(n: unknown): number {
  const choices = limitIn(n, 'n') ?? 1;
  demand(choices <= 128, "Invalid 'n': integer above maximum value. Expected a value <= 128.", { param: 'n' });
  return choices;
}

function readLogprobs({ logprobs, top_logprobs: top }: Record<string, unknown>): number | null {
  const isAsked = flagIn(logprobs, 'logprobs') === true;
  checkRange(top, 'top_logprobs', 0, 20);
  demand(
    isAsked || typeof top !== 'number',
    "The 'top_logprobs' parameter is only allowed when 'logprobs' is enabled.",
    { param: 'top_logprobs' },
  );
  if (!isAsked) return null;
  return typeof top === 'number' ? top : 0;
}

function sourcesOf({ web_search_options: search }: Record<string, unknown>): readonly Source[] {
  return isRecord(search) ? [webPage] : [];
}

/**
 * How much of the web Perplexity reads for a request, of which the smallest is the usual.
 * https://docs.perplexity.ai/docs/getting-started/pricing
 */
function readSearchContext(body: Record<string, unknown>): Record<string, number> {
  const { search_context_size: size } = memberOf(body, 'web_search_options');
  if (sellerOf(textIn(body.model)) !== 'perplexity' || (size !== 'medium' && size !== 'high')) return {};
  return { [`${size}SearchContext`]: 1 };
}

function inJson(part: unknown): string {
  return JSON.stringify(part);
}

/** What an answer in the older JSON mode looks like. */
const anyObject = { type: 'object', properties: { answer: { type: 'string' } } };

/**
 * The schema that an answer must follow, null for none. `wantsClosed`: a strict one must be closed.
 * https://platform.openai.com/docs/api-reference/chat/create#chat_create-response_format
 * @throws Refusal
 */
function readFormat(format: unknown, messages: unknown, wantsClosed: boolean): unknown {
  if (!isRecord(format)) return null;
  const param = 'response_format';
  switch (format.type) {
    case 'text':
      return null;
    case 'json_object':
      demand(
        /json/i.test(JSON.stringify(messages)),
        "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.",
        { param: 'messages' },
      );
      return toldSchema(messages) ?? anyObject;
    case 'json_schema': {
      const { name, schema, strict } = memberOf(format, 'json_schema');
      demand(
        /^[a-zA-Z0-9_-]{1,64}$/.test(textIn(name)),
        "Missing required parameter: 'response_format.json_schema.name'.",
        { param: 'response_format.json_schema.name', code: 'missing_required_parameter' },
      );
      if (strict === true && wantsClosed) demandStrict(schema, `response_format '${textIn(name)}'`, param);
      return schema ?? anyObject;
    }
    default:
      demand(
        false,
        `Invalid value: '${textIn(format.type)}'. Supported values are: 'json_object', 'json_schema', and 'text'.`,
        { param: 'response_format.type', code: 'invalid_value' },
      );
      return null;
  }
}
