import { inputOf } from '../request/input-text';
import { unasked, webPage, type HostedTool, type NeutralRequest } from '../request/neutral-request';
import {
  demandKnown,
  flagIn,
  limitIn,
  memberOf,
  numberIn,
  objects,
  optionalObjects,
  textIn,
} from '../request/read-values';
import { isRecord } from '../request/record';
import { demand } from '../request/refusal';
import { lookBack } from '../request/turns';
import type { Addressed } from '../speech/simulated-dialect';
import { cachedParts } from './cached-parts';
import { checkThinking, isThinking } from './check-thinking';
import {
  boundTo,
  checkBinding,
  checkLimit,
  checkMembers,
  checkModelRules,
  checkVersion,
  insistsOnThoughts,
  takesOneSampling,
} from './model-rules';
import { demandStructured } from './demand-structured';
import { servedBy, checkVertexBetas } from './served-by';
import { readTurns, sourcesIn } from './read-turns';
import { readSamplings } from './read-samplings';
import { readChoice, readTools } from './read-tools';
import { splitModel } from '../behaviour/read-behaviour';

const knownFields = [
  'model',
  'messages',
  'max_tokens',
  'system',
  'stream',
  'temperature',
  'top_p',
  'top_k',
  'stop_sequences',
  'tools',
  'tool_choice',
  'thinking',
  'metadata',
  'output_config',
  'output_format',
  'service_tier',
  'container',
  'context_management',
  'mcp_servers',
  'cache_control',
  'anthropic_version',
  'inference_geo',
  'speed',
  'fallbacks',
];

/** Reads a messages request as strictly as Anthropic does, also as Vertex AI addresses it. @throws Refusal */
export function readMessages(
  sent: Record<string, unknown>,
  { model: named, stream, version, betas, account = '' }: Addressed,
): NeutralRequest {
  const body = withoutForeignThoughts(sent, account);
  // No thread is kept here, which Anthropic's clients take this for: @anthropic-ai/sdk, lib/internal/threads.
  demand(body.thread === undefined, 'thread: this request cannot be threaded', {
    more: { error_code: 'thread_unsupported_request', unsupported: ['thread'] },
  });
  demandKnown(body, knownFields, (name) => `${name}: Extra inputs are not permitted`);
  const model = modelOf(body, named);
  if (named !== null) checkVertexBetas(betas);
  const maxTokens = limitIn(body.max_tokens, 'max_tokens');
  demand(maxTokens !== null, 'max_tokens: Field required');
  checkLimit(model, maxTokens);
  checkVersion(body, version);
  checkModelRules(body, model);
  checkSampling(body, model);
  checkThinking(body, maxTokens);
  checkSystem(body.system);
  checkUser(memberOf(body, 'metadata'));
  const messages = objects(body.messages, 'messages');
  demand(messages.length > 0, 'messages: at least one message is required');
  for (const [at, message] of messages.entries()) checkMembers(message, `messages.${at}`, model, betas);
  checkBinding(body, model, betas);
  const tools = readTools(body.tools);
  const choice = readChoice(body.tool_choice, tools);
  const hosted = readHosted(optionalObjects(body.tools, 'tools'));
  const { parts: cached, forAnHour } = cachedParts(body, messages);
  const input = inputOf(body.system ?? '', messages, body.tools ?? []);
  return {
    ...unasked,
    model,
    stream: flagIn(body.stream, 'stream') === true || stream === true || named?.endsWith(':streamRawPredict') === true,
    ...lookBack(readTurns(messages, memberOf(body, 'thinking').type === 'enabled', insistsOnThoughts(model))),
    tools,
    toolChoice: choice,
    takesParallelCalls: memberOf(body, 'tool_choice').disable_parallel_tool_use !== true,
    reasons: isThinking(body.thinking),
    boundTo: bindingOf(body, model, account),
    schema: readFormat(body),
    maxTokens,
    stops: readStops(body.stop_sequences),
    sources: hosted.includes('webSearch') ? [webPage] : sourcesIn(messages),
    hosted,
    boughtTier: readTier(body.service_tier),
    served: servedBy(body, model, betas),
    ...input,
    samplings: readSamplings(body, { model, betas, inputTokens: input.inputTokens }),
    fallback: readFallback(body.fallbacks, model, betas),
    cached,
    cachedForHours: forAnHour,
  };
}

/** What the thoughts of the answer are bound to: the conversation and, at some models, the account. */
function bindingOf(body: Record<string, unknown>, model: string, account: string): string | null {
  const bound = boundTo(body, model);
  return bound === null || !staysWithAccount(model) ? bound : `${bound}.${account}`;
}

/** The rule is documented, its words are not. https://github.com/vercel/ai/pull/12419 @throws Refusal */
function checkUser(metadata: Record<string, unknown>): void {
  demandKnown(metadata, ['user_id'], (name) => `metadata.${name}: Extra inputs are not permitted`);
  demand(textIn(metadata.user_id).length <= 256, 'metadata.user_id: String should have at most 256 characters');
}

/** The tools of Anthropic's own, each of which is used once. */
function readHosted(tools: readonly Record<string, unknown>[]): HostedTool[] {
  const kinds = { web_search_: 'webSearch', web_fetch_: 'webFetch', code_execution_: 'codeExecution' } as const;
  const used = tools.flatMap(({ type }) =>
    Object.entries(kinds).flatMap(([begin, tool]) => (textIn(type).startsWith(begin) ? [tool] : [])),
  );
  return [...new Set(used)];
}

/**
 * Null: what the account has bought decides. https://platform.claude.com/docs/en/api/service-tiers
 * @throws Refusal
 */
function readTier(asked: unknown): string | null {
  const isKnown = asked === undefined || asked === 'auto' || asked === 'standard_only';
  demand(isKnown, "service_tier: Input should be 'auto' or 'standard_only'");
  return asked === 'standard_only' ? 'standard' : null;
}

/** https://docs.cloud.google.com/vertex-ai/generative-ai/docs/partner-models/claude/use-claude */
function modelOf(body: Record<string, unknown>, named: string | null): string {
  if (named === null) {
    demand(typeof body.model === 'string' && body.model !== '', 'model: Field required');
    demand(body.anthropic_version === undefined, 'anthropic_version: Extra inputs are not permitted');
    return body.model;
  }
  demand(body.model === undefined, 'model: Extra inputs are not permitted');
  demand(body.anthropic_version === 'vertex-2023-10-16', 'anthropic_version: Field required');
  return named.replace(/:\w+$/, '');
}

function checkSampling({ temperature, top_p: topP, top_k: topK }: Record<string, unknown>, model: string): void {
  numberIn(temperature, 'temperature', 0, 1);
  numberIn(topP, 'top_p', 0, 1);
  const k = numberIn(topK, 'top_k', 0, 1_000_000);
  demand(k === null || Number.isInteger(k), 'top_k: Input should be a valid integer');
  const isBoth = temperature !== undefined && topP !== undefined;
  demand(
    !isBoth || !takesOneSampling(model),
    '`temperature` and `top_p` cannot both be specified for this model. Please use only one.',
  );
}

function checkSystem(system: unknown): void {
  if (system === undefined || typeof system === 'string') return;
  for (const [index, block] of objects(system, 'system').entries()) {
    demand(block.type === 'text', `system.${index}: Input tag '${textIn(block.type)}' does not match 'text'`);
    demand(textIn(block.text) !== '', `system.${index}: text content blocks must be non-empty`);
  }
}

/** https://platform.claude.com/docs/en/build-with-claude/structured-outputs */
function readFormat({ output_config: config, output_format: older }: Record<string, unknown>): unknown {
  demandKnown(
    isRecord(config) ? config : {},
    ['format', 'effort', 'task_budget'],
    (name) => `output_config.${name}: Extra inputs are not permitted`,
  );
  const effort = isRecord(config) ? (config.effort ?? 'high') : 'high';
  demand(
    ['low', 'medium', 'high', 'xhigh', 'max'].includes(textIn(effort)),
    "output_config.effort: Input should be 'low', 'medium', 'high', 'xhigh' or 'max'",
  );
  const format = isRecord(config) && config.format !== undefined ? config.format : older;
  if (!isRecord(format)) return null;
  demandKnown(format, ['type', 'schema'], (name) => `output_config.format.${name}: Extra inputs are not permitted`);
  demand(format.type === 'json_schema', "output_config.format.type: Input should be 'json_schema'");
  demandStructured(format.schema, 'output_config.format.schema');
  return format.schema;
}

function readStops(stops: unknown): string[] {
  if (stops === undefined || stops === null) return [];
  demand(Array.isArray(stops), 'stop_sequences: Input should be a valid list');
  return stops.map((stop: unknown, index) => {
    demand(typeof stop === 'string', `stop_sequences.${index}: Input should be a valid string`);
    demand(stop.trim() !== '', 'stop_sequences: each stop sequence must contain non-whitespace');
    return stop;
  });
}

type Body = Record<string, unknown>;

/**
 * Whether a model's thoughts stay with the account that they were thought for: those of Sonnet 5.5 and Haiku
 * 5.5 do.
 * https://platform.claude.com/docs/en/build-with-claude/preserved-thinking#account-bound-thinking
 */
function staysWithAccount(model: string): boolean {
  return /claude-(?:sonnet|haiku)-5-5/.test(splitModel(model).name);
}

/**
 * A request without the thoughts of other accounts, which no model sees and nobody is told of.
 * https://docs.aws.amazon.com/bedrock/latest/userguide/claude-messages-thinking-block-binding.html
 */
function withoutForeignThoughts(body: Body, account: string): Body {
  if (!Array.isArray(body.messages)) return body;
  const before: readonly unknown[] = body.messages;
  const messages = before.map((message) => {
    if (!isRecord(message) || !Array.isArray(message.content)) return message;
    const content = message.content.filter((block: unknown) => !isForeign(block, account));
    return content.length === 0 ? message : { ...message, content };
  });
  return { ...body, messages };
}

function isForeign(block: unknown, account: string): boolean {
  const [, , of] = textIn(memberOf({ block }, 'block').signature).split('.');
  return of !== undefined && of !== account;
}

const fallbackBeta = /server-side-fallback-2026-0[67]-01/;
const mostFallbacks = 3;
/** https://github.com/mozex/anthropic-laravel/releases/tag/1.8.0 */
const withFallbacks = /^claude-(?:fable-5|mythos-5|opus-5)/;
/** Which one Anthropic takes by itself is not documented. */
const usualFallback = 'claude-opus-4-8';

/**
 * The model that answers where this one declines: the first that is named, or the one of Anthropic's choice,
 * which a model without any passes over. Null: none.
 * https://platform.claude.com/docs/en/build-with-claude/refusals-and-fallback#server-side-fallback The rules
 * are documented, their words are not. @throws Refusal
 */
function readFallback(fallbacks: unknown, name: string, betas: string): string | null {
  if (fallbacks === undefined || fallbacks === null) return null;
  demand(fallbackBeta.test(betas), 'fallbacks: Extra inputs are not permitted');
  const hasThem = withFallbacks.test(splitModel(name).name);
  if (fallbacks === 'default') return hasThem ? usualFallback : null;
  const named = objects(fallbacks, 'fallbacks').map(({ model }) => textIn(model));
  demand(named.length > 0 && named.length <= mostFallbacks, `fallbacks: List should have 1 to ${mostFallbacks} items`);
  for (const [at, model] of named.entries()) demand(model !== '', `fallbacks.${at}.model: Field required`);
  demand(hasThem, 'fallbacks: this model does not support fallbacks');
  return named[0] ?? null;
}
