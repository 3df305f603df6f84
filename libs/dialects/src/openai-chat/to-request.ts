import { GatewayError } from '@tollgate/contracts';
import type { ProviderRequest } from '../canonical/codec';
import { customInput, freeTextNames } from '../canonical/custom-tool';
import type { CanonicalRequest, ResponseFormat, ToolChoice, ToolDefinition } from '../canonical/generation-request';
import { holdsFor, type UpstreamTarget } from '../provider-dialect';
import { defined, isRecord, recordIn, textIn } from '../wire/json-value';
import { toShortCallId, wantsShortCallIds, withCallIds, toMistralTurns, wantsMistralTurns } from './mistral-turns';
import { conversationHeader } from './to-upstream-request';
import { knowsNoDeveloper, toSystem, droppedWarnings, withoutFields, withReasoning } from './taken-messages';
import { keptReasoning } from './kept-reasoning';
import { refusedFields, takenSettings, withInstruction } from './taken-settings';
import { toMessages } from './to-messages';
import { endUser } from '../canonical/end-user';
import { shortNames } from '../canonical/short-names';
import { toThinking } from './to-thinking';
import { strictFor, toParameters, withPlainRoot } from './tool-parameters';
import type { SchemaSite } from './tool-parameters';

/**
 * Writes a chat completion request. https://platform.openai.com/docs/api-reference/chat/create
 * @throws GatewayError 400 for what this dialect cannot say.
 */
export function toRequest(request: CanonicalRequest, target: UpstreamTarget): ProviderRequest {
  const warnings = lostMarks(request);
  const site = { surface: request.surface, target, warnings };
  const { quirks } = target.provider;
  const custom = holdsFor(quirks.customTools, target) ? freeTextNames(request.tools) : new Set<string>();
  const messages = toMessages(request, target, warnings).map((message) => withCustomCalls(message, custom));
  const written: Record<string, unknown> = {
    ...request.extra,
    ...shortNames((field) => request.extra?.[field], target, warnings),
    model: target.upstreamModel,
    messages: inOrder(withPlaceholders(messages, request, target), target, warnings),
    ...toolMembers(request, custom, site),
    [quirks.maxTokensField ?? 'max_tokens']: request.maxOutputTokens,
    temperature: request.temperature,
    top_p: request.topP,
    ...(request.topK !== undefined && { top_k: request.topK }),
    stop: stopSequences(request),
    seed: request.seed,
    n: request.choices,
    presence_penalty: request.presencePenalty,
    frequency_penalty: request.frequencyPenalty,
    ...(request.logprobs && { logprobs: true, top_logprobs: request.logprobs.top }),
    response_format: toResponseFormat(request.responseFormat, site),
    ...toThinking(request.reasoning, target, warnings),
    user: endUser(request, warnings),
    ...(target.stream && { stream: true, ...(!quirks.streamsUsageUnasked && { stream_options: usageAsked }) }),
  };
  return {
    path: '/chat/completions',
    headers: {
      'content-type': 'application/json',
      accept: target.stream ? 'text/event-stream' : 'application/json',
      ...conversationHeader(target, request.extra?.prompt_cache_key),
    },
    body: withoutRefused(withTakenSettings(written, target, warnings), target, warnings),
    warnings,
  };
}

/** What a caller is told of marks for the cache that this dialect cannot say. */
function lostMarks({ tools = [], messages }: CanonicalRequest): string[] {
  const parts = messages.flatMap((message) => message.parts);
  const isBeside = parts.some(({ type, cacheControl }) => type === 'tool-call' && cacheControl);
  const isLong = parts.some(({ cacheControl }) => cacheControl?.ttl === '1h');
  return [
    ...(isBeside || tools.some(({ cacheControl }) => cacheControl)
      ? ['cache control of tools and their calls was dropped: the marks of this model stand in texts and results']
      : []),
    ...(isLong ? ['the hour in the cache became five minutes: the gateway asks for no hour in chat completions'] : []),
  ];
}

function withTakenSettings(
  written: Record<string, unknown>,
  target: UpstreamTarget,
  warnings: string[],
): Record<string, unknown> {
  const { set, drop, instruction } = takenSettings(written, target, warnings);
  const messages = withInstruction(written.messages, instruction);
  for (const name of drop) delete written[name];
  return Object.assign(written, set, { messages });
}

/** Something in the place of reasoning that the caller did not keep, where the model insists on it. */
function withPlaceholders(
  messages: Record<string, unknown>[],
  { tools }: CanonicalRequest,
  target: UpstreamTarget,
): Record<string, unknown>[] {
  return tools?.length && keptReasoning(target).insists ? messages.map(withReasoning) : messages;
}

/** With the fields, the roles, the ids and the order that the model knows. */
function inOrder(messages: Record<string, unknown>[], target: UpstreamTarget, warnings: string[]): readonly unknown[] {
  const { refused } = keptReasoning(target);
  const dropped = new Set<string>();
  const taken = messages.map((message) => withoutFields(message, refused, dropped));
  warnings.push(...droppedWarnings(dropped, target));
  const known = knowsNoDeveloper(target) ? taken.map(toSystem) : taken;
  if (wantsShortCallIds(target)) return known.map((message) => withCallIds(message, toShortCallId));
  return wantsMistralTurns(target) ? toMistralTurns(known, warnings) : known;
}

/** https://platform.openai.com/docs/api-reference/chat/create#chat_create-stop */
const mostStops = 4;

function stopSequences({ stop }: CanonicalRequest): string[] | undefined {
  if (stop === undefined || stop.length <= mostStops) return stop;
  throw new GatewayError(400, `'stop_sequences' may hold at most ${mostStops} with this model.`);
}

const usageAsked = { include_usage: true };

function toolMembers(
  { tools, toolChoice, parallelToolCalls }: CanonicalRequest,
  custom: ReadonlySet<string>,
  site: SchemaSite,
): Record<string, unknown> {
  if (!tools?.length) return {};
  return {
    tools: tools.map((tool) => (custom.has(tool.name) ? toCustomTool(tool) : toFunction(tool, site))),
    tool_choice: toolChoice && toToolChoice(toolChoice, custom),
    parallel_tool_calls: parallelToolCalls,
  };
}

function toFunction(asked: ToolDefinition, site: SchemaSite): object {
  const { name, description, ...tool } = withPlainRoot(asked, site);
  const parameters = tool.parameters && toParameters(tool.parameters, site);
  const strict = strictFor(tool.strict, `the tool ${name}`, parameters ?? {}, site);
  return { type: 'function', function: { name, description, parameters, strict } };
}

/**
 * A tool of free text as models have it that know such: the grammar that it may name is enforced there.
 * https://platform.openai.com/docs/api-reference/chat/create#chat-create-tools
 */
function toCustomTool({ name, freeText = {} }: ToolDefinition): object {
  const { type, ...grammar } = freeText.format ?? {};
  const format = freeText.format && { type, grammar };
  return { type: 'custom', custom: { name, description: freeText.description, format } };
}

/** A message whose calls of such tools hold the free text itself; the very same where there are none. */
function withCustomCalls(message: Record<string, unknown>, custom: ReadonlySet<string>): Record<string, unknown> {
  const calls: unknown = message.tool_calls;
  if (custom.size === 0 || !Array.isArray(calls)) return message;
  const written = calls.map((call: unknown) => {
    const called = recordIn(call, 'function');
    const name = textIn(called, 'name') ?? '';
    if (!isRecord(call) || !custom.has(name)) return call;
    const { function: _function, ...rest } = call;
    return { ...rest, type: 'custom', custom: { name, input: customInput(textIn(called, 'arguments') ?? '') } };
  });
  return { ...message, tool_calls: written };
}

function toToolChoice(choice: ToolChoice, custom: ReadonlySet<string>): unknown {
  if (choice.type !== 'tool') return choice.type;
  const { name } = choice;
  return custom.has(name) ? { type: 'custom', custom: { name } } : { type: 'function', function: { name } };
}

function toResponseFormat(format: ResponseFormat | undefined, site: SchemaSite): object | undefined {
  switch (format?.type) {
    case undefined:
      return undefined;
    case 'text':
      return { type: 'text' };
    case 'json-object':
      return { type: 'json_object' };
    case 'json-schema': {
      const { name, description, schema } = format;
      const strict = strictFor(format.strict, 'the answer', schema, site);
      return { type: 'json_schema', json_schema: { name, description, schema, strict } };
    }
  }
}

/** Leaves out what the provider refuses, and tells of what the caller had set; what is null was not. */
function withoutRefused(
  written: Record<string, unknown>,
  target: UpstreamTarget,
  warnings: string[],
): Record<string, unknown> {
  const { refusesNull } = target.provider.quirks;
  const body = defined(written);
  if (refusesNull) for (const [field, value] of Object.entries(body)) if (value === null) delete body[field];
  for (const field of refusedFields(target, body.reasoning_effort)) {
    if (!Object.hasOwn(body, field)) continue;
    const isSaid = body[field] !== null;
    delete body[field];
    if (isSaid) warnings.push(`${field} was dropped: ${target.provider.name} does not take it`);
  }
  return body;
}
